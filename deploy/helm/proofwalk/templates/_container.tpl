{{/* A setting's value as text. Helm reads whole numbers as floats, and would write a million as 1e+06. */}}
{{- define "proofwalk.settingText" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}{{- int64 . -}}{{- else -}}{{- toString . -}}{{- end -}}
{{- end -}}

{{/* Keys of the Secret that a container mounts, in order, as words. Takes a map from settings to keys. */}}
{{- define "proofwalk.mountedKeys" -}}
{{- values . | uniq | sortAlpha | join " " -}}
{{- end -}}

{{/* gRPC address of a role for one that calls it. A scheduler beside it is in the caller's own pod. */}}
{{- define "proofwalk.address" -}}
{{- if include "proofwalk.isBeside" . -}}127.0.0.1:50052
{{- else -}}{{- include "proofwalk.object" (dict "root" .root "component" (kebabcase .role)) -}}:50051
{{- end -}}
{{- end -}}

{{/*
Settings that the chart itself gives a role, and the keys of the Secret that it mounts, as YAML: {plain: {NAME: text}, secret: {NAME: key}}.
NAME is without PROOFWALK_. Takes (dict "root" $ "role" "rollout" "facts" {…}).
*/}}
{{- define "proofwalk.ownSettings" -}}
{{- $root := .root -}}{{- $role := .role -}}{{- $facts := .facts -}}{{- $values := index $root.Values $role -}}
{{- $roles := include "proofwalk.roles" $root | fromYaml -}}
{{- $bind := $root.Values.bindAddress -}}
{{- $beside := eq (include "proofwalk.isBeside" (dict "root" $root "role" $role)) "yes" -}}
{{- $plain := dict "HOME" "/var/lib/proofwalk" "LOG__FORMAT" "json" "LOG__LEVEL" $root.Values.log.level -}}
{{- $_ := set $plain "DRAIN_GRACE_S" (include "proofwalk.settingText" $root.Values.drainSeconds) -}}
{{- $_ := set $plain "METRICS_ADDRESS" (printf "%s:%s" $bind (ternary "9101" "9100" $beside)) -}}
{{- if or $facts.grpc $facts.calls }}{{- $plain = merge $plain (include "proofwalk.certificateSettings" $root | fromYaml) -}}{{- end -}}
{{- with $root.Values.tracing.endpoint }}{{- $_ := set $plain "OTLP_ENDPOINT" . -}}{{- end -}}
{{- $secret := dict -}}
{{- if $facts.grpc -}}
{{- $listen := ternary "127.0.0.1:50052" (printf "%s:50051" $bind) $beside -}}
{{- $_ := set $plain (printf "ADDRESSES__%s" (snakecase $role | upper)) $listen -}}
{{- end -}}
{{- range $facts.calls -}}
{{- /* A scheduler beside rollout listens in rollout's pod alone: nobody else is told where. */ -}}
{{- if and (hasKey $roles .) (or (eq $role "rollout") (not (include "proofwalk.isBeside" (dict "root" $root "role" .)))) -}}
{{- $_ := set $plain (printf "ADDRESSES__%s" (snakecase . | upper)) (include "proofwalk.address" (dict "root" $root "role" .)) -}}
{{- end -}}
{{- end -}}
{{- if $facts.database }}{{- $_ := set $secret "DATABASE_URL" "database-url" -}}{{- end -}}
{{- if $facts.redis }}{{- $_ := set $secret "REDIS_URL" "redis-url" -}}{{- end -}}
{{- if and $facts.devcloudAdmin $root.Values.devcloud.enabled }}{{- $_ := set $secret "DEVCLOUD__ADMIN_TOKEN" "devcloud-admin-token" -}}{{- end -}}
{{- if and $facts.targets (or $root.Values.targets.files $root.Values.targets.existingConfigMap) -}}
{{- $_ := set $plain (printf "%s__TARGETS" (snakecase $role | upper)) "/etc/proofwalk/targets" -}}
{{- end -}}
{{- if eq $role "gateway" -}}
{{- $_ := set $plain "GATEWAY__ADDRESS" (printf "%s:8480" $bind) -}}
{{- $_ := set $secret "GATEWAY__API_KEYS__DEFAULT" "gateway-api-key" -}}
{{- else if eq $role "rollout" -}}
{{- $_ := set $plain "ROLLOUT__CONCURRENCY" (include "proofwalk.settingText" $values.concurrency) -}}
{{- if $root.Values.blobs.bucket -}}
{{- $_ := set $plain "BLOB_STORE__ADDRESS" $root.Values.blobs.bucket -}}
{{- else -}}
{{- $_ := set $plain "BLOB_ROOT" "/var/lib/proofwalk/blobs" -}}
{{- end -}}
{{- else if and (eq $role "inspection") $values.documents.existingClaim -}}
{{- $_ := set $plain "INSPECTION__ROOTS" (list "/documents" | toJson) -}}
{{- else if and (eq $role "sandboxScheduler") (not $beside) -}}
{{- $sandboxes := $values.sandboxes -}}
{{- $_ := set $plain "SANDBOX_SCHEDULER__BACKEND" "kubernetes" -}}
{{- $_ := set $plain "SANDBOX_SCHEDULER__WARM" (include "proofwalk.settingText" $sandboxes.warm) -}}
{{- $_ := set $plain "SANDBOX_SCHEDULER__QUOTA" (include "proofwalk.settingText" $sandboxes.quota) -}}
{{- $_ := set $plain "SANDBOX_SCHEDULER__SHARD_SIZE" (include "proofwalk.settingText" $sandboxes.shardSize) -}}
{{- $told := dict "NAMESPACE" $root.Release.Namespace "PREFIX" (include "proofwalk.sandboxPrefix" $root) "TOOL" $sandboxes.tool "VERSION" $sandboxes.version -}}
{{- $_ := set $told "IMAGE" (include "proofwalk.image" (dict "root" $root "role" "sandbox" "image" $sandboxes.image)) -}}
{{- $_ := set $told "IMAGE_PULL_POLICY" $root.Values.image.pullPolicy -}}
{{- $_ := set $told "RUN_AS_USER" (include "proofwalk.settingText" $root.Values.runAsUser) -}}
{{- $_ := set $told "PODS_BY" $sandboxes.podsBy -}}
{{- $_ := set $told "CPU" $sandboxes.cpu -}}
{{- $_ := set $told "MEMORY" $sandboxes.memory -}}
{{- $_ := set $told "STORAGE" $sandboxes.storage -}}
{{- $_ := set $told "SCHEDULER_LABELS" (include "proofwalk.sandboxPeer" (dict "root" $root "component" "sandbox-scheduler")) -}}
{{- $_ := set $told "DEVTOOLS_LABELS" (include "proofwalk.sandboxPeer" (dict "root" $root "component" (ternary "devtools-gateway" "rollout" $root.Values.devtoolsGateway.enabled))) -}}
{{- if $root.Values.devtoolsGateway.enabled }}
{{- $_ := set $told "GATEWAY" (printf "ws://%s:9222" (include "proofwalk.object" (dict "root" $root "component" "devtools-gateway"))) -}}
{{- end -}}
{{- with $root.Values.image.pullSecrets }}{{- $_ := set $told "IMAGE_PULL_SECRETS" (toJson .) -}}{{- end -}}
{{- with $sandboxes.runtimeClassName }}{{- $_ := set $told "RUNTIME_CLASS" . -}}{{- end -}}
{{- with $sandboxes.priorityClassName }}{{- $_ := set $told "PRIORITY_CLASS" . -}}{{- end -}}
{{- with $sandboxes.nodeSelector }}{{- $_ := set $told "NODE_SELECTOR" (toJson .) -}}{{- end -}}
{{- with $sandboxes.tolerations }}{{- $_ := set $told "TOLERATIONS" (toJson .) -}}{{- end -}}
{{- with $root.Values.dnsPolicy }}{{- $_ := set $told "DNS_POLICY" . -}}{{- end -}}
{{- with $root.Values.dnsConfig }}{{- $_ := set $told "DNS_CONFIG" (toJson .) -}}{{- end -}}
{{- range $name, $value := $told }}{{- $_ := set $plain (printf "SANDBOX_SCHEDULER__KUBERNETES__%s" $name) $value -}}{{- end -}}
{{- $_ := set $secret "SANDBOX_SCHEDULER__KUBERNETES__SIGNING_KEY" "sandbox-signing-key" -}}
{{- else if $beside -}}
{{- $_ := set $plain "SANDBOX_SCHEDULER__WARM" (include "proofwalk.settingText" $values.warm) -}}
{{- $_ := set $plain "SANDBOX_SCHEDULER__QUOTA" (mul 2 $root.Values.rollout.concurrency | toString) -}}
{{- else if eq $role "accountPool" -}}
{{- $_ := set $secret "ACCOUNT_POOL__ENCRYPTION_KEY" "encryption-key" -}}
{{- else if eq $role "inspection" -}}
{{- $_ := set $secret "INSPECTION__WEBHOOKS__ENCRYPTION_KEY" "webhook-key" -}}
{{- else if eq $role "devcloud" -}}
{{- $_ := set $plain "DEVCLOUD__HOST" (trimAll "[]" $bind) -}}
{{- $_ := set $plain "DEVCLOUD__PORT" "8470" -}}
{{- $_ := set $plain "DEVCLOUD__ACCOUNTS" (include "proofwalk.settingText" $values.accounts) -}}
{{- $_ := set $secret "DEVCLOUD__ADMIN_TOKEN" "devcloud-admin-token" -}}
{{- else if and (eq $role "inference") $root.Values.vllm.enabled -}}
{{- $_ := set $plain "INFERENCE__ENGINE" "vllm" -}}
{{- $_ := set $plain "INFERENCE__ENDPOINT" (printf "http://%s:8000/v1" (include "proofwalk.object" (dict "root" $root "component" "vllm"))) -}}
{{- $_ := set $plain "INFERENCE__MODEL" (default (base $root.Values.vllm.model) $root.Values.vllm.servedName) -}}
{{- end -}}
{{- toYaml (dict "plain" $plain "secret" $secret) -}}
{{- end -}}

{{/* Labels of a component's pods, as a setting: (dict "root" $ "component" "rollout"). */}}
{{- define "proofwalk.sandboxPeer" -}}
{{- merge (dict "app.kubernetes.io/component" .component) (include "proofwalk.selector" .root | fromYaml) | toJson -}}
{{- end -}}

{{/* The container of a role: (dict "root" $ "role" "rollout" "facts" {…}). */}}
{{- define "proofwalk.container" -}}
{{- $root := .root -}}{{- $role := .role -}}{{- $facts := .facts -}}{{- $values := index $root.Values $role -}}
{{- $own := include "proofwalk.ownSettings" . | fromYaml -}}
{{- $plain := $own.plain -}}{{- $secret := $own.secret -}}
{{- range $name, $value := $values.settings -}}
{{- if or (hasKey $own.plain $name) (hasKey $own.secret $name) -}}
{{- fail (printf "%s.settings.%s is set by the chart: take it out; the README says which value stands for it" $role $name) -}}
{{- end -}}
{{- $_ := set $plain $name (include "proofwalk.settingText" $value) -}}
{{- end -}}
{{- range $name, $key := $values.secretSettings -}}
{{- if or (hasKey $plain $name) (hasKey $own.secret $name) -}}
{{- fail (printf "%s.secretSettings.%s is set already, by the chart or in settings: take one out" $role $name) -}}
{{- end -}}
{{- $_ := set $secret $name $key -}}
{{- end -}}
{{- $beside := eq (include "proofwalk.isBeside" (dict "root" $root "role" $role)) "yes" -}}
{{- $metrics := ternary 9101 9100 $beside -}}
name: {{ kebabcase $role }}
image: {{ include "proofwalk.roleImage" (dict "root" $root "role" $role) | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
command: [proofwalk, serve, {{ kebabcase $role }}]
env:
  - {name: HOME, value: /tmp}
  - {name: TMPDIR, value: /tmp}
  {{- if and $facts.devcloud $root.Values.devcloud.enabled }}
  - {name: DEVCLOUD_URL, value: "http://{{ include "proofwalk.object" (dict "root" $root "component" "devcloud") }}:8470"}
  {{- end }}
  {{- range $name, $value := $plain }}
  - {name: PROOFWALK_{{ $name }}, value: {{ $value | quote }}}
  {{- end }}
  {{- range $name, $key := $secret }}
  - {name: PROOFWALK_{{ $name }}_FILE, value: /run/secrets/proofwalk/{{ $key }}}
  {{- end }}
  {{- range $values.env }}
  {{- if hasPrefix "PROOFWALK_" (toString .name) }}
  {{- fail (printf "%s.env has %s: give settings by %s.settings or %s.secretSettings" $role .name $role $role) }}
  {{- end }}
  - {{ toYaml . | nindent 4 | trim }}
  {{- end }}
ports:
  {{- if and $facts.grpc (not $beside) }}
  - {name: grpc, containerPort: 50051, protocol: TCP}
  {{- end }}
  {{- with $facts.http }}
  - {name: http, containerPort: {{ . }}, protocol: TCP}
  {{- end }}
  - {name: {{ ternary "sched-metrics" "metrics" $beside }}, containerPort: {{ $metrics }}, protocol: TCP}
startupProbe:
  httpGet: {path: /readyz, port: {{ $metrics }}}
  periodSeconds: 2
  failureThreshold: {{ ternary 900 150 (has $role (list "inference" "trainer")) }}
readinessProbe:
  httpGet: {path: /readyz, port: {{ $metrics }}}
  periodSeconds: 5
  timeoutSeconds: 5
livenessProbe:
  httpGet: {path: /livez, port: {{ $metrics }}}
  periodSeconds: 15
  timeoutSeconds: 10
  failureThreshold: 4
resources:
  {{- toYaml $values.resources | nindent 2 }}
securityContext:
  {{- include "proofwalk.containerSecurity" $root | nindent 2 }}
volumeMounts:
  - {name: {{ ternary "browser-home" "home" $beside }}, mountPath: /var/lib/proofwalk}
  - {name: {{ ternary "browser-tmp" "tmp" $beside }}, mountPath: /tmp}
  {{- if include "proofwalk.mountedKeys" $secret }}
  - {name: secrets, mountPath: /run/secrets/proofwalk, readOnly: true}
  {{- end }}
  {{- if hasKey $plain "RPC__TLS__CERT_FILE" }}
  - {name: {{ ternary "browser-certificate" "certificate" $beside }}, mountPath: /run/secrets/certificate, readOnly: true}
  {{- end }}
  {{- if hasKey $plain (printf "%s__TARGETS" (snakecase $role | upper)) }}
  - {name: targets, mountPath: /etc/proofwalk/targets, readOnly: true}
  {{- end }}
  {{- if or $facts.state (and (eq $role "inference") (include "proofwalk.trains" $root)) }}
  {{- /* A volume of its own: what the container runtime makes on the way to a mount belongs to root, and roles make folders beside it. */}}
  - {name: folders, mountPath: /var/lib/proofwalk/state}
  {{- end }}
  {{- with $facts.state }}
  - {name: state, mountPath: /var/lib/proofwalk/{{ . }}}
  {{- end }}
  {{- if and (eq $role "rollout") (not $root.Values.blobs.bucket) }}
  - {name: blobs, mountPath: /var/lib/proofwalk/blobs}
  {{- end }}
  {{- if and (eq $role "inference") (include "proofwalk.trains" $root) }}
  - {name: runs, mountPath: /var/lib/proofwalk/state/trainer, readOnly: true}
  {{- end }}
  {{- if and (eq $role "inspection") $values.documents.existingClaim }}
  - {name: documents, mountPath: /documents, readOnly: true}
  {{- end }}
  {{- if and (has $role (list "inference" "trainer")) $root.Values.models.existingClaim }}
  - {name: models, mountPath: /models, readOnly: true}
  {{- end }}
{{- end -}}
