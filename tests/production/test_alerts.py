"""Prometheus understands the alert rules, and each says what it is for and nothing else."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.operations.rules import RULES, rules

AT = "55m"  # when all that is wrong has been so for long enough

# As `/metrics` has them while all is well; each by a minute.
WELL = {
    'up{job="magnitudes"}': "1+0x60",
    'magnitudes_part_state{part="database"}': "0+0x60",
    'magnitudes_part_state{part="disk"}': "0+0x60",
    'magnitudes_tick_age_seconds{tick="expiry"}': "2+0x60",
    'magnitudes_tick_age_seconds{tick="rankings"}': "900+0x60",
    'magnitudes_tick_age_seconds{tick="backup"}': "80000+0x60",
    'magnitudes_queue_tasks{queue="compute"}': "100+0x60",
    'magnitudes_database_connections{which="used"}': "90+0x60",
    'magnitudes_database_connections{which="allowed"}': "100+0x60",
    "magnitudes_clock_ahead_seconds": "-29+0x60",
    'magnitudes_requests_total{view="document",method="POST",status="200"}': "0+600x60",
    'magnitudes_requests_total{view="document",method="POST",status="500"}': "0+5x60",
    'magnitudes_request_seconds_bucket{view="document",le="1"}': "0+96x60",
    'magnitudes_request_seconds_bucket{view="document",le="5"}': "0+100x60",
    'magnitudes_request_seconds_bucket{view="document",le="+Inf"}': "0+100x60",
    'magnitudes_request_seconds_bucket{view="results",le="1"}': "0+0x60",
    'magnitudes_request_seconds_bucket{view="results",le="5"}': "0+100x60",
    'magnitudes_request_seconds_bucket{view="results",le="+Inf"}': "0+100x60",
}
WRONG = {
    "SiteDown": {'up{job="magnitudes"}': "0+0x60"},
    "DatabaseDown": {'magnitudes_part_state{part="database"}': "2+0x60"},
    "PartDown": {'magnitudes_part_state{part="disk"}': "2+0x60"},
    "PartDegraded": {'magnitudes_part_state{part="disk"}': "1+0x60"},
    "NothingExpires": {'magnitudes_tick_age_seconds{tick="expiry"}': "61+0x60"},
    "RankingsOld": {'magnitudes_tick_age_seconds{tick="rankings"}': "1801+0x60"},
    "TasksWait": {'magnitudes_queue_tasks{queue="compute"}': "101+0x60"},
    "ConnectionsRunOut": {'magnitudes_database_connections{which="used"}': "91+0x60"},
    "ClocksDiffer": {"magnitudes_clock_ahead_seconds": "-31+0x60"},
    "ManyErrors": {
        'magnitudes_requests_total{view="document",method="POST",status="500"}': "0+7x60"
    },
    "PagesSlow": {'magnitudes_request_seconds_bucket{view="document",le="1"}': "0+90x60"},
}


def promtool(*words: str | Path) -> None:
    done = subprocess.run(["promtool", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_understands_the_rules() -> None:
    promtool("check", "rules", RULES)


def test_there_is_an_example_of_each() -> None:
    assert [rule["alert"] for rule in rules()] == list(WRONG)


@pytest.mark.parametrize("alert", ["", *WRONG])
def test_it_says_what_it_is_for_and_nothing_else(alert: str, tmp_path: Path) -> None:
    """Just above what it allows; with `alert` empty, all is just below."""
    series = WELL | WRONG.get(alert, {})
    firing = [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if alert else []
    question = {
        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": AT,
        "exp_samples": firing,
    }
    told = {
        "rule_files": [str(RULES)],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": name, "values": values} for name, values in series.items()
                ],
                "promql_expr_test": [question],
            }
        ],
    }
    file = tmp_path / "alerts.yml"
    file.write_text(json.dumps(told))  # which is YAML as well
    promtool("test", "rules", file)
