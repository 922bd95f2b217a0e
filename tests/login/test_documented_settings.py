"""Test the settings that docs/team.md shows."""

import re
from pathlib import Path

import pytest

from paddock import settings
from paddock.login.methods import password_methods, providers
from paddock.paths import Home

PAGE = Path(__file__).parents[2] / "docs" / "team.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split("\n")[0])
def test_an_example_is_valid(home: Home, example: str) -> None:
    (home.root / "settings.toml").write_text(example)
    found = settings.load(home.root)
    assert len(password_methods(found)) == example.count("[login.pam]") + example.count("[login.ldap]")
    assert set(providers(found)) == set(re.findall(r"\[login\.oidc\.(\w+)]", example))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('[login.ldap]\nurl = "ldap.example.org"\nbase = "dc=x"', "login.ldap.url"),
        ('[login.ldap]\nurl = "ldap://x"\nbase = "dc=x"\nfilter = "uid=alice"', "login.ldap.filter"),
        ('[login.ldap]\nurl = "ldaps://x"\nbase = "dc=x"\nstart_tls = true', "start_tls is for ldap://"),
        ('[login.pam]\nservice = "../shadow"', "login.pam.service"),
        ('[login.oidc.x]\nissuer = "http://sso.example.org"\nclient_id = "x"', "login.oidc.x.issuer"),
        ('[login.saml]\nurl = "x"', "login.saml"),
    ],
)
def test_a_mistake_in_the_settings_is_named(home: Home, wrong: str, said: str) -> None:
    (home.root / "settings.toml").write_text(wrong)
    with pytest.raises(Exception, match=re.escape(said)):
        settings.load(home.root)


def test_there_is_an_example_of_each_method() -> None:
    for section in ("[login.pam]", "[login.ldap]", "[login.oidc."):
        assert any(section in example for example in EXAMPLES)
