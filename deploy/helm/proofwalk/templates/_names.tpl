{{- define "proofwalk.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Prefix of every name. Short enough for what is put behind it within the 63 characters of a label. */}}
{{- define "proofwalk.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 36 | trimSuffix "-" -}}
{{- else if contains (include "proofwalk.name" .) .Release.Name -}}
{{- .Release.Name | trunc 36 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "proofwalk.name" .) | trunc 36 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "proofwalk.selector" -}}
app.kubernetes.io/name: {{ include "proofwalk.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "proofwalk.labels" -}}
{{ include "proofwalk.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: proofwalk
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Name of a component's objects: (dict "root" $ "component" "account-pool"). */}}
{{- define "proofwalk.object" -}}
{{- printf "%s-%s" (include "proofwalk.fullname" .root) .component -}}
{{- end -}}

{{/* Facts of every role that runs, by its name in values. A sandbox scheduler beside rollout is among them, with kind "" and no database. */}}
{{- define "proofwalk.roles" -}}
{{- $found := dict -}}
{{- range $role, $facts := .Files.Get "files/roles.yaml" | fromYaml -}}
{{- $values := index $.Values $role -}}
{{- if dig "enabled" true $values -}}
{{- if and (eq $role "sandboxScheduler") (eq $values.backend "local") -}}
{{- $_ := set $facts "kind" "" -}}
{{- $_ := set $facts "database" false -}}
{{- end -}}
{{- if not $.Values.tls.enabled -}}
{{- range $facts.certifiedCalls -}}{{- $_ := set $facts "calls" (without $facts.calls .) -}}{{- end -}}
{{- end -}}
{{- $_ := set $found $role $facts -}}
{{- end -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{/* Whether anything trains: inference reads what is trained from the trainer's volume. */}}
{{- define "proofwalk.trains" -}}
{{- if or .Values.trainer.enabled .Values.trainer.job.enabled -}}yes{{- end -}}
{{- end -}}

{{- define "proofwalk.secretName" -}}
{{- default (printf "%s-secrets" (include "proofwalk.fullname" .)) .Values.secrets.existingSecret -}}
{{- end -}}

{{/* Whether a role is a container of rollout's pods: (dict "root" $ "role" "sandboxScheduler"). */}}
{{- define "proofwalk.isBeside" -}}
{{- if and (eq .role "sandboxScheduler") (eq .root.Values.sandboxScheduler.backend "local") -}}yes{{- end -}}
{{- end -}}

{{/* Begins the names of sandboxes' objects: short, for a pod's name has the tool, its version, the shard and the ordinal behind it. */}}
{{- define "proofwalk.sandboxPrefix" -}}
{{- printf "%s-sandbox" (.Release.Name | trunc 14 | trimSuffix "-" | trimSuffix ".") -}}
{{- end -}}

{{/* A role's image: (dict "root" $ "role" "accountPool"). What has browsers in its own container has the image with a browser. */}}
{{- define "proofwalk.roleImage" -}}
{{- $image := (index .root.Values .role).image -}}
{{- if include "proofwalk.isBeside" . }}{{- $image = .root.Values.sandboxScheduler.sandboxes.image -}}{{- end -}}
{{- include "proofwalk.image" (dict "root" .root "role" .role "image" $image) -}}
{{- end -}}

{{/* An image of ours: (dict "root" $ "role" "accountPool" "image" .Values.accountPool.image). */}}
{{- define "proofwalk.image" -}}
{{- $image := .image -}}
{{- $all := .root.Values.image -}}
{{- $tag := coalesce $image.tag $all.tag .root.Chart.AppVersion -}}
{{- $name := printf "%s%s" $all.prefix (default (kebabcase .role) $image.name) -}}
{{- include "proofwalk.reference" (dict "repository" (ternary $name (printf "%s/%s" $all.registry $name) (empty $all.registry)) "tag" $tag "digest" $image.digest) -}}
{{- end -}}

{{- define "proofwalk.reference" -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- if eq .tag "latest" -}}
{{- fail (printf "the tag `latest` of %s names no version: set a tag of a release, or a digest" .repository) -}}
{{- end -}}
{{- printf "%s:%s" .repository .tag -}}
{{- end -}}
{{- end -}}

{{- define "proofwalk.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* How pods look names up. */}}
{{- define "proofwalk.names" -}}
{{- with .Values.dnsPolicy }}
dnsPolicy: {{ . | quote }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Whether rollout's pods on several nodes see the same blobs: "yes" or nothing. */}}
{{- define "proofwalk.sharesBlobs" -}}
{{- if or .Values.blobs.bucket (has "ReadWriteMany" .Values.blobs.accessModes) -}}yes{{- end -}}
{{- end -}}

{{/* Claim of a volume: (dict "root" $ "volume" .Values.blobs "component" "blobs"). */}}
{{- define "proofwalk.claim" -}}
{{- default (include "proofwalk.object" .) .volume.existingClaim -}}
{{- end -}}

{{/* Security of a pod and of a container: the restricted Pod Security Standard, and a read-only root. Takes the user's number. */}}
{{- define "proofwalk.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ int64 . }}
runAsGroup: {{ int64 . }}
fsGroup: {{ int64 . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "proofwalk.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}
