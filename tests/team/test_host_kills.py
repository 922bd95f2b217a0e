"""Test a short campaign of random kills on hosts that are reached by ssh."""

from tests.support.sshd import NEEDS_SSHD
from tests.team.host_kills import KINDS, host_server
from tests.team.kills import campaign
from tests.team.unix_users import ROOT

pytestmark = [ROOT, NEEDS_SSHD]


def test_nothing_is_lost_or_doubled_or_somebody_elses_where_hosts_see_the_homes() -> None:
    with host_server(2, shared=True) as lab:
        verdict = campaign(lab, kills=8, tasks=24, seed=7, kinds=KINDS)
    assert verdict.good, verdict
    assert verdict.tasks == 24
    assert verdict.kills.total() >= 3, verdict.kills
