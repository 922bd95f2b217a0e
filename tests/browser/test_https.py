"""Test the page over HTTPS, with a self-signed certificate that the user has accepted."""

import ssl
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.conftest import choose
from tests.security.test_tls import certify
from tests.support.server import ServerProcess


def test_the_page_works_and_its_cookie_stays_with_https(browser: Browser, tmp_path: Path) -> None:
    certificate, key = certify(tmp_path)
    server = ServerProcess(tmp_path / "home", local__slots=1, tls_certificate=certificate, tls_key=key)
    server.verify = ssl.create_default_context(cafile=str(certificate))
    server.start()
    context = browser.new_context(ignore_https_errors=True)
    try:
        page = context.new_page()
        page.set_default_timeout(90_000)
        page.goto(f"{server.url}/?token={server.token}")
        expect(page.get_by_role("navigation").first).to_be_visible()
        assert page.url == f"{server.url}/"
        assert [cookie["secure"] for cookie in context.cookies()] == [True]
        job = server.submit("print('epoch 1 val_loss: 0.5')", name="over https")
        row = page.get_by_role("link", name="over https")  # it comes over the event stream
        expect(row).to_be_visible()
        row.click()
        expect(page.get_by_text("1 finished")).to_be_visible()
        choose(page, "Remove")
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page.get_by_text("over https")).to_have_count(0)
        assert server.client.get(f"/jobs/{job}").status_code == 404
    finally:
        context.close()
        server.stop()
