{{/*
Service and StatefulSet of a bundled server, without its container: (dict "root" $ "component" "redis" "port" 6379 "values" .Values.redis
"container" "…" "volumes" "…").
*/}}
{{- define "proofwalk.server" -}}
{{- $name := include "proofwalk.object" . -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "proofwalk.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  selector:
    {{- include "proofwalk.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  ports:
    - {name: server, port: {{ .port }}, targetPort: server, protocol: TCP}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels:
    {{- include "proofwalk.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  replicas: 1
  serviceName: {{ $name }}
  selector:
    matchLabels:
      {{- include "proofwalk.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels:
        {{- include "proofwalk.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- include "proofwalk.pullSecrets" .root | nindent 6 }}
      {{- include "proofwalk.names" .root | nindent 6 }}
      securityContext:
        {{- include "proofwalk.podSecurity" .values.runAsUser | nindent 8 }}
      containers:
        - name: {{ .component }}
          image: {{ include "proofwalk.reference" .values.image | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          ports:
            - {name: server, containerPort: {{ .port }}, protocol: TCP}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- include "proofwalk.containerSecurity" .root | nindent 12 }}
          {{- .container | nindent 10 }}
      volumes:
        - name: tmp
          emptyDir: {}
        - name: secrets
          secret:
            secretName: {{ include "proofwalk.secretName" .root }}
            defaultMode: 0440
            items:
              - {key: {{ .component }}-password, path: password}
        {{- .volumes | nindent 8 }}
{{- end -}}
