{{/* What the chart tells the pods of a training job, as a map of settings without PROOFWALK_. */}}
{{- define "proofwalk.trainingSettings" -}}
{{- $job := .Values.trainer.job -}}
{{- $roles := include "proofwalk.roles" . | fromYaml -}}
{{- $plain := dict "HOME" "/var/lib/proofwalk" "LOG__FORMAT" "json" "LOG__LEVEL" .Values.log.level -}}
{{- range list "rollout" "inference" -}}
{{- if hasKey $roles . -}}
{{- $_ := set $plain (printf "ADDRESSES__%s" (upper .)) (include "proofwalk.address" (dict "root" $ "role" .)) -}}
{{- end -}}
{{- end -}}
{{- $plain = merge $plain (include "proofwalk.certificateSettings" . | fromYaml) -}}
{{- $_ := set $plain "TRAINER__RANKS" (max 1 $job.gpusPerNode | toString) -}}
{{- $_ := set $plain "TRAINER__DRAIN_S" (include "proofwalk.settingText" $job.saveSeconds) -}}
{{- range $name, $value := .Values.trainer.settings -}}
{{- if not (hasKey $plain $name) }}{{- $_ := set $plain $name (include "proofwalk.settingText" $value) -}}{{- end -}}
{{- end -}}
{{- toYaml $plain -}}
{{- end -}}

{{/* Spec of the Job; JOB-NAME stands for its name, which is made of this text. */}}
{{- define "proofwalk.trainingJob" -}}
{{- $job := .Values.trainer.job -}}{{- $trainer := .Values.trainer -}}
{{- $name := include "proofwalk.object" (dict "root" . "component" "training-job") -}}
{{- $gpus := dict -}}
{{- $mounted := include "proofwalk.mountedKeys" $trainer.secretSettings -}}
{{- if $job.gpusPerNode }}{{- $gpus = dict $job.gpuResource (toString $job.gpusPerNode) -}}{{- end -}}
completionMode: Indexed
completions: {{ $job.nodes }}
parallelism: {{ $job.nodes }}
# A failure of the run is one of each of its pods.
backoffLimit: {{ mul (sub $job.attempts 1) $job.nodes }}
{{- if semverCompare ">=1.26-0" .Capabilities.KubeVersion.Version }}
podFailurePolicy:
  rules:
    # Exit codes of `proofwalk train node`: the run cannot succeed; a pod was asked to go.
    - action: FailJob
      onExitCodes: {containerName: training-job, operator: In, values: [2, 3]}
    - action: Ignore
      onExitCodes: {containerName: training-job, operator: In, values: [75]}
    - action: Ignore
      onPodConditions:
        - {type: DisruptionTarget, status: "True"}
{{- end }}
template:
  metadata:
    labels:
      {{- include "proofwalk.labels" . | nindent 6 }}
      app.kubernetes.io/component: training-job
      {{- with $trainer.podLabels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    annotations:
      checksum/configuration: {{ $job.configuration | sha256sum }}
      {{- with $trainer.podAnnotations }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  spec:
    restartPolicy: Never
    subdomain: {{ $name }}
    serviceAccountName: {{ $name }}
    automountServiceAccountToken: false
    enableServiceLinks: false
    {{- include "proofwalk.pullSecrets" . | nindent 4 }}
    {{- include "proofwalk.names" . | nindent 4 }}
    terminationGracePeriodSeconds: {{ add $job.saveSeconds 30 }}
    securityContext:
      {{- include "proofwalk.podSecurity" .Values.runAsUser | nindent 6 }}
    {{- with $trainer.runtimeClassName }}
    runtimeClassName: {{ . }}
    {{- end }}
    {{- with $trainer.priorityClassName }}
    priorityClassName: {{ . }}
    {{- end }}
    {{- with $trainer.nodeSelector }}
    nodeSelector:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $trainer.tolerations }}
    tolerations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $trainer.affinity }}
    affinity:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    containers:
      - name: training-job
        image: {{ include "proofwalk.roleImage" (dict "root" . "role" "trainer") | quote }}
        imagePullPolicy: {{ .Values.image.pullPolicy }}
        command: [proofwalk, train, node, /etc/proofwalk/training/run.yaml]
        args:
          - --run-id={{ $job.runId }}
          - --nodes={{ $job.nodes }}
          # Kubernetes tells each pod its number.
          - --node-rank=$(JOB_COMPLETION_INDEX)
          - --rendezvous=JOB-NAME-0.{{ $name }}:29500
          - --patience-s={{ $job.startSeconds }}
        env:
          - {name: HOME, value: /tmp}
          - {name: TMPDIR, value: /tmp}
          {{- range $setting, $value := include "proofwalk.trainingSettings" . | fromYaml }}
          - {name: PROOFWALK_{{ $setting }}, value: {{ $value | quote }}}
          {{- end }}
          {{- range $setting, $key := $trainer.secretSettings }}
          - {name: PROOFWALK_{{ $setting }}_FILE, value: /run/secrets/proofwalk/{{ $key }}}
          {{- end }}
          {{- range $trainer.env }}
          {{- if hasPrefix "PROOFWALK_" (toString .name) }}
          {{- fail (printf "trainer.env has %s: give settings by trainer.settings" .name) }}
          {{- end }}
          - {{ toYaml . | nindent 12 | trim }}
          {{- end }}
        ports:
          - {name: rendezvous, containerPort: 29500, protocol: TCP}
        resources:
          requests:
            {{- toYaml (merge (deepCopy $gpus) $job.resources.requests) | nindent 12 }}
          limits:
            {{- toYaml (merge (deepCopy $gpus) $job.resources.limits) | nindent 12 }}
        securityContext:
          {{- include "proofwalk.containerSecurity" . | nindent 10 }}
        volumeMounts:
          - {name: home, mountPath: /var/lib/proofwalk}
          - {name: tmp, mountPath: /tmp}
          - {name: shared-memory, mountPath: /dev/shm}
          - {name: configuration, mountPath: /etc/proofwalk/training, readOnly: true}
          - {name: folders, mountPath: /var/lib/proofwalk/state}
          - {name: state, mountPath: /var/lib/proofwalk/state/trainer}
          {{- if .Values.tls.enabled }}
          - {name: certificate, mountPath: /run/secrets/certificate, readOnly: true}
          {{- end }}
          {{- if $mounted }}
          - {name: secrets, mountPath: /run/secrets/proofwalk, readOnly: true}
          {{- end }}
          {{- if .Values.models.existingClaim }}
          - {name: models, mountPath: /models, readOnly: true}
          {{- end }}
    volumes:
      - name: home
        emptyDir: {}
      - name: tmp
        emptyDir: {}
      - name: shared-memory
        emptyDir: {medium: Memory, sizeLimit: {{ $job.sharedMemory }}}
      - name: configuration
        configMap:
          name: {{ $name }}
      - name: folders
        emptyDir: {}
      - name: state
        persistentVolumeClaim:
          claimName: {{ include "proofwalk.claim" (dict "root" . "volume" $trainer.persistence "component" "trainer") }}
      {{- if .Values.tls.enabled }}
      {{- include "proofwalk.certificateVolume" (dict "root" . "component" "trainer" "volume" "certificate") | nindent 6 }}
      {{- end }}
      {{- if $mounted }}
      - name: secrets
        secret:
          secretName: {{ include "proofwalk.secretName" . }}
          defaultMode: 0440
          items:
            {{- range splitList " " $mounted }}
            - {key: {{ . }}, path: {{ . }}}
            {{- end }}
      {{- end }}
      {{- if .Values.models.existingClaim }}
      - name: models
        persistentVolumeClaim:
          claimName: {{ .Values.models.existingClaim }}
          readOnly: true
      {{- end }}
{{- end -}}
