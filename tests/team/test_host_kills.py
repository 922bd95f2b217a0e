"""Test a short campaign of random kills on hosts that are reached by ssh."""

import pytest

from tests.support.sshd import NEEDS_SSHD
from tests.team.host_kills import KINDS, host_server
from tests.team.kills import campaign
from tests.team.unix_users import ROOT

pytestmark = [ROOT, NEEDS_SSHD]


@pytest.mark.parametrize(("as_user", "shared"), [("sudo", True), ("ssh", False)])
def test_nothing_is_lost_or_doubled_or_somebody_elses(as_user: str, shared: bool) -> None:
    with host_server(2, as_user=as_user, shared=shared) as lab:
        verdict = campaign(lab, kills=8, tasks=24, seed=7, kinds=KINDS)
    assert verdict.good, verdict
    assert verdict.tasks == 24
    assert verdict.kills.total() >= 3, verdict.kills
