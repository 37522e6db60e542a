"""Who may call what: the one table of the contract's calls and their callers.

A caller is a role (`platform.roles`), the `operator` (the command line, which speaks to
roles directly) or the `devtools_gateway` (a program of the data plane). Every call of
every service has a row; one without callers is for nobody. A row that has a `#` narrows
a call for one kind of request, and its handler asks for it (`identity.require`).

`tests/platform/test_callers.py` derives from each role's stubs who calls what, and
holds the table against it. `identity` says who a caller is and when the table is asked.
"""

from __future__ import annotations

from collections.abc import Mapping

OPERATOR = "operator"
DEVTOOLS_GATEWAY = "devtools_gateway"
AllowList = Mapping[str, frozenset[str]]
"""By `package.Service/Method`, without a leading slash."""

_TABLE: Mapping[str, Mapping[str, str]] = {
    "proofwalk.api.account_pool.v1.AccountPool": {
        "AcquireLease": "operator resource_provisioner rollout",
        "ListRoles": "rollout",
        "RenewLease": "rollout",
        "ReleaseLease": "operator resource_provisioner rollout",
        "GetCredential": "resource_provisioner reward_service rollout",
        "GetCredential#CREDENTIAL_KIND_CONSOLE_LOGIN": "rollout",
        "InspectAccount": "operator resource_provisioner reward_service rollout",
        "ListAccounts": "gateway operator resource_provisioner rollout",
        "ListLeases": "gateway operator",
        "RestoreAccount": "operator",
        "SweepOrphans": "operator",
    },
    "proofwalk.api.inference.v1.Inference": {
        "Generate": "rollout",
        "GenerateStream": "operator",
        "Score": "operator",
        "LoadWeights": "operator trainer",
        "ListVersions": "operator",
    },
    "proofwalk.api.inspection.v1.Findings": {
        "ListFindings": "gateway",
        "GetFinding": "gateway",
        "ReviewFinding": "gateway",
        "ReviewFindings": "gateway",
        "RecordVerification": "gateway",
        "GetPrecision": "gateway",
        "GetWeeklyPrecision": "gateway",
        "ProposePatch": "gateway",
    },
    "proofwalk.api.inspection.v1.Inspections": {
        "CreateCollection": "gateway",
        "GetCollection": "gateway",
        "ListCollections": "gateway",
        "UpdateCollection": "gateway",
        "DeleteCollection": "gateway",
        "StartInspection": "gateway",
        "GetInspection": "gateway",
        "ListInspections": "gateway",
        "CancelInspection": "gateway",
        "ListItems": "gateway",
        "ListHistory": "gateway",
        "GetCoverage": "gateway",
        "GetCalendar": "gateway",
    },
    "proofwalk.api.inspection.v1.Webhooks": {
        "CreateWebhook": "gateway",
        "ListWebhooks": "gateway",
        "EnableWebhook": "gateway",
        "DeleteWebhook": "gateway",
        "ListDeliveries": "gateway",
        "ReplayDelivery": "gateway",
    },
    "proofwalk.api.resource_provisioner.v1.ResourceProvisioner": {
        "ValidateMeta": "operator rollout",
        "PutMeta": "operator",
        "GetMeta": "gateway operator",
        "FindMeta": "operator rollout",
        "MarkMeta": "operator rollout",
        "ConfirmMeta": "operator",
        "PlanMeta": "operator",
        "ListMetas": "gateway operator",
        "TryMeta": "gateway",
        "ListTrials": "gateway",
        "Provision": "operator rollout",
        "ProvisionOnDemand": "rollout",
        "Destroy": "operator",
        "Sweep": "operator rollout",
        "GetProvisioning": "rollout",
        "ListProvisionings": "gateway",
    },
    "proofwalk.api.reward_service.v1.RewardService": {
        "ValidateRule": "rollout",
        "Judge": "rollout",
        "ListEvents": "rollout",
        "Rescore": "operator",
        "ListJudgements": "operator",
        "JudgeByModels": "rollout",
        "JudgeFreeText": "rollout",
    },
    "proofwalk.api.rollout.v1.Rollout": {
        "CreateVerification": "gateway inspection",
        "GetVerification": "gateway inspection",
        "ListVerifications": "gateway",
        "SummariseVerifications": "gateway",
        "CancelVerification": "gateway inspection",
        "WatchEvents": "gateway",
        "GetReport": "gateway",
        "GetScript": "gateway inspection",
        "GetArtefact": "gateway trainer",
        "ListSteps": "gateway",
        "GetPicture": "gateway",
        "GetDocument": "gateway inspection",
        "GetEvidence": "gateway",
        "ListTargets": "gateway",
        "RunGroup": "trainer",
        "WatchGroup": "trainer",
        "CancelGroup": "trainer",
    },
    "proofwalk.api.sandbox_scheduler.v1.SandboxScheduler": {
        "AcquireSandbox": "rollout",
        "RenewSandbox": "rollout",
        "ReleaseSandbox": "rollout",
        "ListTools": "devtools_gateway gateway",
        "ListSandboxes": "gateway operator",
    },
    "proofwalk.api.trainer.v1.Trainer": {
        "StartRun": "operator",
        "WatchRun": "gateway operator",
        "StopRun": "operator",
        "GetRun": "gateway operator",
        "ListRuns": "gateway operator",
        "ListCheckpoints": "gateway operator",
    },
}

CALLERS: AllowList = {
    f"{service}/{method}": frozenset(callers.split())
    for service, methods in _TABLE.items()
    for method, callers in methods.items()
}
