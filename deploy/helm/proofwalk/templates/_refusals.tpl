{{/* What the schema cannot say: values that contradict each other. Each message says what to change. */}}
{{- define "proofwalk.refusals" -}}
{{- $v := .Values -}}
{{- $many := include "proofwalk.sharesBlobs" . -}}
{{- if and (or (gt (int $v.rollout.replicas) 1) $v.rollout.keda.enabled) (not $many) -}}
{{- fail "rollout has more than one pod, blobs.bucket is empty and blobs.accessModes has no ReadWriteMany: pods on several nodes could not share screenshots and reports. Set blobs.bucket to a bucket, blobs.accessModes to [ReadWriteMany] with a storage class that offers it, or rollout.replicas to 1 and rollout.keda.enabled to false" -}}
{{- end -}}
{{- if and $v.blobs.bucket $v.blobs.existingClaim -}}
{{- fail "blobs.bucket and blobs.existingClaim are both set: blobs lie in one of them; take the other out" -}}
{{- end -}}
{{- if gt (int $v.rollout.keda.minReplicas) (int $v.rollout.keda.maxReplicas) -}}
{{- fail "rollout.keda.minReplicas is greater than rollout.keda.maxReplicas: raise the second" -}}
{{- end -}}
{{- if gt (int $v.gateway.autoscaling.minReplicas) (int $v.gateway.autoscaling.maxReplicas) -}}
{{- fail "gateway.autoscaling.minReplicas is greater than gateway.autoscaling.maxReplicas: raise the second" -}}
{{- end -}}
{{- if and (not $v.postgresql.bundled) (not $v.secrets.existingSecret) -}}
{{- fail "postgresql.bundled is false and no secrets.existingSecret is set: make a Secret with database-url (and the other keys of the README) and name it there" -}}
{{- end -}}
{{- if and (not $v.redis.bundled) (not $v.secrets.existingSecret) -}}
{{- fail "redis.bundled is false and no secrets.existingSecret is set: make a Secret with redis-url (and the other keys of the README) and name it there" -}}
{{- end -}}
{{- if and (not $v.redis.bundled) $v.redis.sentinels.hosts (not $v.redis.sentinels.service) $v.rollout.keda.enabled -}}
{{- fail "rollout.keda.enabled with redis.sentinels needs redis.sentinels.service, what they call the server: KEDA does not read the URL in the Secret" -}}
{{- end -}}
{{- if and (not $v.redis.bundled) (not $v.redis.external.host) (not $v.redis.sentinels.hosts) $v.rollout.keda.enabled -}}
{{- fail "rollout.keda.enabled with an external Redis needs redis.external.host: KEDA does not read the URL in the Secret" -}}
{{- end -}}
{{- if and $v.vllm.enabled (not $v.vllm.model) -}}
{{- fail "vllm.enabled needs vllm.model, the model's folder on the volume of models.existingClaim (/models/…): the server has no way out to fetch one" -}}
{{- end -}}
{{- if and $v.vllm.enabled (not $v.models.existingClaim) -}}
{{- fail "vllm.enabled needs models.existingClaim, a PersistentVolumeClaim with the model's folder" -}}
{{- end -}}
{{- if and $v.vllm.enabled (not $v.inference.enabled) -}}
{{- fail "vllm.enabled needs inference.enabled: the other roles ask vLLM through inference" -}}
{{- end -}}
{{- if and (include "proofwalk.trains" .) $v.inference.enabled (not $v.trainer.persistence.existingClaim) (not (has "ReadWriteMany" $v.trainer.persistence.accessModes)) -}}
{{- fail "trainer and inference share the runs' folder, and trainer.persistence.accessModes has no ReadWriteMany: set it with a storage class that offers it, or inference.enabled to false where only SFT is trained" -}}
{{- end -}}
{{- if and (eq (toString (get $v.rollout.settings "ROLLOUT__MODEL__VIA")) "inference") (not $v.inference.enabled) -}}
{{- fail "rollout.settings.ROLLOUT__MODEL__VIA is inference, and inference.enabled is false: enable it, or set ROLLOUT__MODEL__VIA to endpoint" -}}
{{- end -}}
{{- if and $v.gateway.ingress.enabled (not $v.gateway.ingress.host) -}}
{{- fail "gateway.ingress.enabled needs gateway.ingress.host" -}}
{{- end -}}
{{- $kubernetes := .Capabilities.KubeVersion.Version -}}
{{- $job := $v.trainer.job -}}
{{- if $job.enabled -}}
{{- if or (not $job.runId) (not $job.configuration) -}}
{{- fail "trainer.job.enabled needs trainer.job.runId and trainer.job.configuration, the run's configuration (--set-file trainer.job.configuration=run.yaml)" -}}
{{- end -}}
{{- $ranks := mul $job.nodes (max 1 $job.gpusPerNode) | int -}}
{{- $configuration := fromYaml $job.configuration -}}
{{- with $configuration.Error -}}
{{- fail (printf "trainer.job.configuration is no YAML mapping (%s): give the text of a run's configuration" .) -}}
{{- end -}}
{{- if and (gt $ranks 1) (not (has (dig "settings" "processes" "single" $configuration) (list "accelerate" "sharded"))) -}}
{{- fail (printf "trainer.job has %d ranks, and trainer.job.configuration is of one process: set `processes: sharded` or `processes: accelerate` in its settings" $ranks) -}}
{{- end -}}
{{- if and (gt (int $job.nodes) 1) (not $v.trainer.persistence.existingClaim) (not (has "ReadWriteMany" $v.trainer.persistence.accessModes)) -}}
{{- fail "trainer.job has several nodes, which share the run's folder, and trainer.persistence.accessModes has no ReadWriteMany: set it with a storage class that offers it, or name a trainer.persistence.existingClaim that has it" -}}
{{- end -}}
{{- if hasKey $v.trainer.settings "TRAINER__RANKS" -}}
{{- fail "trainer.settings.TRAINER__RANKS is set, and trainer.job.enabled: the ranks of the job are trainer.job.gpusPerNode. Take it out" -}}
{{- end -}}
{{- if not (hasKey $job.resources.limits "memory") -}}
{{- fail "trainer.job.resources.limits has no memory: a container without a limit takes the node down with it. Set one" -}}
{{- end -}}
{{- if semverCompare "<1.25-0" $kubernetes -}}
{{- fail (printf "trainer.job.enabled needs Kubernetes 1.25 (ranges of ports in network policies), and this is %s: set it to false" $kubernetes) -}}
{{- end -}}
{{- end -}}
{{- if and $v.gateway.autoscaling.enabled (semverCompare "<1.23-0" $kubernetes) -}}
{{- fail (printf "gateway.autoscaling.enabled needs Kubernetes 1.23 (autoscaling/v2), and this is %s: set it to false and gateway.replicas instead" $kubernetes) -}}
{{- end -}}
{{- range $role := list "gateway" "rollout" "sandboxScheduler" "accountPool" "rewardService" -}}
{{- if and (index $v $role).pdb.enabled (gt (int (index $v $role).replicas) 1) (semverCompare "<1.21-0" $kubernetes) -}}
{{- fail (printf "%s.pdb.enabled needs Kubernetes 1.21 (policy/v1), and this is %s: set it to false" $role $kubernetes) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $v.sandboxScheduler.backend "local") (gt (int $v.sandboxScheduler.replicas) 1) -}}
{{- fail "sandboxScheduler.replicas is greater than 1, and sandboxScheduler.backend is local: there is one in each of rollout's pods. Set rollout.replicas, or the backend to kubernetes" -}}
{{- end -}}
{{- if gt (int $v.sandboxScheduler.sandboxes.warm) (int $v.sandboxScheduler.sandboxes.quota) -}}
{{- fail "sandboxScheduler.sandboxes.warm is greater than its quota: raise the quota" -}}
{{- end -}}
{{- if and (eq $v.dnsPolicy "None") (not $v.dnsConfig.nameservers) -}}
{{- fail "dnsPolicy is None, and dnsConfig.nameservers is empty: name a server, or leave dnsPolicy empty for the cluster's DNS" -}}
{{- end -}}
{{- if and $v.tls.existingSecrets (not $v.tls.enabled) -}}
{{- fail "tls.existingSecrets is set, and tls.enabled is false: roles would call each other in plain text. Set tls.enabled to true, or take the Secrets out" -}}
{{- end -}}
{{- range $component, $_ := $v.tls.existingSecrets -}}
{{- if not (hasKey (include "proofwalk.certified" $ | fromYaml) $component) -}}
{{- fail (printf "tls.existingSecrets.%s is of no role that runs with a certificate: take it out" $component) -}}
{{- end -}}
{{- end -}}
{{- range $component, $_ := include "proofwalk.certified" . | fromYaml -}}
{{- if and (not $v.tls.certManager.enabled) (not (hasKey $v.tls.existingSecrets $component)) -}}
{{- fail (printf "tls.enabled without tls.certManager.enabled needs tls.existingSecrets.%s, a Secret with tls.crt, tls.key and ca.crt" $component) -}}
{{- end -}}
{{- end -}}
{{- if le (trimSuffix "h" $v.tls.certManager.duration | int) (trimSuffix "h" $v.tls.certManager.renewBefore | int) -}}
{{- fail "tls.certManager.renewBefore is not shorter than tls.certManager.duration: lower it" -}}
{{- end -}}
{{- if and $v.targets.files $v.targets.existingConfigMap -}}
{{- fail "targets.files and targets.existingConfigMap are both set: keep one" -}}
{{- end -}}
{{- if and $v.sandboxScheduler.secretSettings (eq $v.sandboxScheduler.backend "local") -}}
{{- fail "sandboxScheduler.secretSettings is set: browsers with strangers' pages run in that container, so it is given no secret. Take it out" -}}
{{- end -}}
{{- range $role, $_ := .Files.Get "files/roles.yaml" | fromYaml -}}
{{- if not (hasKey (index $v $role).resources.limits "memory") -}}
{{- fail (printf "%s.resources.limits has no memory: a container without a limit takes the node down with it. Set one" $role) -}}
{{- end -}}
{{- end -}}
{{- end -}}
