"""Test a short campaign of random kills under the sweeps of two people."""

from tests.team.kills import campaign
from tests.team.member_server import member_server
from tests.team.unix_users import ROOT

pytestmark = ROOT


def test_nothing_is_lost_or_doubled_or_somebody_elses() -> None:
    with member_server() as lab:
        verdict = campaign(lab, kills=8, tasks=24, seed=7)
    assert verdict.good, verdict
    assert verdict.tasks == 24
    assert verdict.kills.total() >= 3, verdict.kills
