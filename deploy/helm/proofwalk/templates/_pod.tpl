{{/* Metadata and spec of a role's pods: (dict "root" $ "role" "rollout" "facts" {…}). */}}
{{- define "proofwalk.pod" -}}
{{- $root := .root -}}{{- $role := .role -}}{{- $facts := .facts -}}{{- $values := index $root.Values $role -}}
{{- $component := kebabcase $role -}}
{{- $own := include "proofwalk.ownSettings" . | fromYaml -}}
{{- $mounted := include "proofwalk.mountedKeys" (merge $own.secret $values.secretSettings) -}}
{{- $keys := ternary (splitList " " $mounted) list (ne $mounted "") -}}
metadata:
  labels:
    {{- include "proofwalk.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $component }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: {{ $component }}
    {{- if and $facts.targets $root.Values.targets.files }}
    checksum/targets: {{ toYaml $root.Values.targets.files | sha256sum }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "proofwalk.object" (dict "root" $root "component" $component) }}
  automountServiceAccountToken: {{ eq $role "sandboxScheduler" }}
  enableServiceLinks: false
  {{- include "proofwalk.pullSecrets" $root | nindent 2 }}
  {{- include "proofwalk.names" $root | nindent 2 }}
  terminationGracePeriodSeconds: {{ add $root.Values.drainSeconds 15 }}
  securityContext:
    {{- include "proofwalk.podSecurity" $root.Values.runAsUser | nindent 4 }}
  {{- with get $values "runtimeClassName" }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and (hasKey $values "replicas") $root.Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range $root.Values.topologySpread.topologyKeys }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "proofwalk.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $component }}
    {{- end }}
  {{- end }}
  containers:
    - {{ include "proofwalk.container" . | nindent 6 | trim }}
    {{- if and (eq $role "rollout") (include "proofwalk.isBeside" (dict "root" $root "role" "sandboxScheduler")) }}
    {{- $scheduler := index (include "proofwalk.roles" $root | fromYaml) "sandboxScheduler" }}
    - {{ include "proofwalk.container" (dict "root" $root "role" "sandboxScheduler" "facts" $scheduler) | nindent 6 | trim }}
    {{- end }}
  volumes:
    - name: home
      emptyDir: {}
    - name: tmp
      emptyDir: {}
    {{- if $keys }}
    - name: secrets
      secret:
        secretName: {{ include "proofwalk.secretName" $root }}
        defaultMode: 0440
        items:
          {{- range $keys }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    {{- end }}
    {{- if hasKey $own.plain "RPC__TLS__CERT_FILE" }}
    {{- include "proofwalk.certificateVolume" (dict "root" $root "component" $component "volume" "certificate") | nindent 4 }}
    {{- end }}
    {{- if hasKey $own.plain (printf "%s__TARGETS" (snakecase $role | upper)) }}
    - name: targets
      configMap:
        name: {{ default (include "proofwalk.object" (dict "root" $root "component" "targets")) $root.Values.targets.existingConfigMap }}
    {{- end }}
    {{- if or $facts.state (and (eq $role "inference") (include "proofwalk.trains" $root)) }}
    - name: folders
      emptyDir: {}
    {{- end }}
    {{- if $facts.state }}
    - name: state
      persistentVolumeClaim:
        claimName: {{ include "proofwalk.claim" (dict "root" $root "volume" $values.persistence "component" $component) }}
    {{- end }}
    {{- if and (eq $role "rollout") (not $root.Values.blobs.bucket) }}
    - name: blobs
      persistentVolumeClaim:
        claimName: {{ include "proofwalk.claim" (dict "root" $root "volume" $root.Values.blobs "component" "blobs") }}
    {{- end }}
    {{- if and (eq $role "rollout") (include "proofwalk.isBeside" (dict "root" $root "role" "sandboxScheduler")) }}
    {{- if $root.Values.tls.enabled }}
    {{- include "proofwalk.certificateVolume" (dict "root" $root "component" "sandbox-scheduler" "volume" "browser-certificate") | nindent 4 }}
    {{- end }}
    - name: browser-home
      emptyDir:
        sizeLimit: {{ $root.Values.sandboxScheduler.scratch }}
    - name: browser-tmp
      emptyDir:
        sizeLimit: {{ $root.Values.sandboxScheduler.scratch }}
    {{- end }}
    {{- if and (eq $role "inference") (include "proofwalk.trains" $root) }}
    - name: runs
      persistentVolumeClaim:
        claimName: {{ include "proofwalk.claim" (dict "root" $root "volume" $root.Values.trainer.persistence "component" "trainer") }}
        readOnly: true
    {{- end }}
    {{- if and (eq $role "inspection") $values.documents.existingClaim }}
    - name: documents
      persistentVolumeClaim:
        claimName: {{ $values.documents.existingClaim }}
        readOnly: true
    {{- end }}
    {{- if and (has $role (list "inference" "trainer")) $root.Values.models.existingClaim }}
    - name: models
      persistentVolumeClaim:
        claimName: {{ $root.Values.models.existingClaim }}
        readOnly: true
    {{- end }}
{{- end -}}
