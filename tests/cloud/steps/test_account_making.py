"""Steps in a leased account: crashes at an operation of the cloud's API, leftovers, and
how long a step may take."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from proofwalk.cloud.steps.caller import Answer, Values
from proofwalk.cloud.steps.making import Maker, Progress
from proofwalk.cloud.steps.model import AnyCall, ApiCall, Preparation, Step
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError

STOP = ApiCall(api="ecs", operation="StopInstance", parameters={"InstanceId": "${output.id}"})
STOPPED = ApiCall(api="ecs", operation="DescribeInstances", has={"Status": "Stopped"})
BACKUP = ApiCall(api="rds", operation="CreateBackup", parameters={"DBInstanceId": "${output.id}"})
FORGET = ApiCall(api="rds", operation="DeleteBackup", parameters={"BackupId": "${output.backup}"})
UNLOCK = ApiCall(api="ecs", operation="ModifyInstanceAttribute")


@dataclass
class Account:
    """`StepCaller` over an instance and its backups."""

    status: str = "Running"
    backups: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    lost: bool = False
    """Whether the answers of what changes something get lost."""

    def refuse_undeclared(self, preparation: Preparation) -> None:
        assert preparation.acts_as_account

    def quoted(self, text: str) -> str:
        return text

    async def call(self, call: AnyCall, values: Values) -> Answer:
        assert isinstance(call, ApiCall)
        self.calls.append(call.operation)
        told = values.json(dict(call.parameters))
        text = "{}"
        match call.operation:
            case "StopInstance":
                if self.status == "Stopped":
                    return Answer(status=409, text="IncorrectInstanceStatus")
                self.status = "Stopped"
            case "DescribeInstances":
                return Answer(status=200, text=f'{{"Status": "{self.status}"}}')
            case "CreateBackup":
                self.backups.append(f"b{len(self.backups) + 1}")
                text = f'{{"BackupJobId": "{self.backups[-1]}"}}'
            case "DeleteBackup":
                assert isinstance(told, dict)
                if told["BackupId"] not in self.backups:
                    return Answer(status=404, text="InvalidBackupId.NotFound")
                self.backups.remove(told["BackupId"])
        if self.lost:
            raise ConnectionError
        return Answer(status=200, text=text)


@dataclass
class Notes:
    kept: list[Progress] = field(default_factory=lambda: [Progress(outputs={"id": "i-1"})])

    async def keep(self, progress: Progress) -> None:
        self.kept.append(progress)

    @property
    def progress(self) -> Progress:
        return self.kept[-1]


def _maker(
    account: Account, notes: Notes, *steps: Step, leftovers: tuple[ApiCall, ...] = ()
) -> Maker:
    return Maker(
        account,
        Preparation(steps=steps, leftovers=leftovers, prior=frozenset({"id"})),
        notes,
        variables={"name_prefix": "pw1", "region": "cn-hangzhou"},
        clock=SystemClock(),
        verify_s=0.3,
    )


async def test_a_clean_account_has_no_leftovers_before_the_first_step() -> None:
    account, notes = Account(), Notes()
    step = Step(do=STOP, verify=STOPPED)
    outputs = await _maker(account, notes, step, leftovers=(UNLOCK,)).make()
    assert outputs == {"id": "i-1"}
    assert account.calls == ["StopInstance", "DescribeInstances"]
    account.calls.clear()
    await _maker(account, notes, step, leftovers=(UNLOCK,)).undo()
    assert account.calls == ["ModifyInstanceAttribute"] * 2


async def test_a_step_whose_answer_was_lost_counts_where_what_it_makes_is_there() -> None:
    account, notes = Account(lost=True), Notes()
    step = Step(do=STOP, verify=STOPPED)
    with pytest.raises(ConnectionError):
        await _maker(account, notes, step).make()
    assert (notes.progress.begun, notes.progress.ended) == (1, 0)
    account.lost = False
    await _maker(account, notes, step).make()
    assert notes.progress.ended == 1
    assert account.calls.count("StopInstance") == 1


async def test_a_step_whose_output_was_lost_is_not_done_twice() -> None:
    account, notes = Account(lost=True), Notes()
    step = Step(do=BACKUP, undo=FORGET, outputs={"backup": "BackupJobId"})
    with pytest.raises(ConnectionError):
        await _maker(account, notes, step).make()
    account.lost = False
    with pytest.raises(ProofwalkError, match="cannot be done again"):
        await _maker(account, notes, step).make()
    assert account.backups == ["b1"]


async def test_what_is_gone_already_is_taken_back() -> None:
    account, notes = Account(), Notes()
    step = Step(do=BACKUP, undo=FORGET, outputs={"backup": "BackupJobId"})
    assert (await _maker(account, notes, step).make())["backup"] == "b1"
    account.backups.clear()
    await _maker(account, notes, step).undo()
    assert notes.progress.begun == 0


async def test_a_step_may_take_longer_than_others() -> None:
    account, notes = Account(), Notes()
    never = ApiCall(api="ecs", operation="DescribeInstances", has={"Status": "Released"})
    with pytest.raises(ProofwalkError, match=r"after 0\.6 s: ecs DescribeInstances"):
        await _maker(account, notes, Step(do=STOP, verify=never, within_s=0.6)).make()
