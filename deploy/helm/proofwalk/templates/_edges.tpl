{{/* Peers of a network policy: pods of components of this release. */}}
{{- define "proofwalk.peers" -}}
{{- $root := .root -}}
{{- range .components }}
- podSelector:
    matchLabels:
      {{- include "proofwalk.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* Peers of a network policy: this release's sandboxes, which the scheduler makes. */}}
{{- define "proofwalk.sandboxPods" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: proofwalk-sandbox
      app.kubernetes.io/instance: {{ include "proofwalk.sandboxPrefix" . }}
{{- end -}}

{{/* The way to PostgreSQL or Redis, bundled or external: (dict "root" $ "server" .Values.redis "component" "redis" "port" 6379). */}}
{{- define "proofwalk.serverEgress" -}}
{{- if .server.bundled -}}
- to:
    {{- include "proofwalk.peers" (dict "root" .root "components" (list .component)) | nindent 4 }}
  ports:
    - {protocol: TCP, port: {{ .port }}}
{{- else -}}
- ports:
    - {protocol: TCP, port: {{ int .server.external.port }}}
  {{- if dig "sentinels" "hosts" nil .server }}
    - {protocol: TCP, port: {{ int .server.sentinels.port }}}
  {{- end }}
  {{- with .server.external.cidrs }}
  to:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Who may come to a bundled server: (dict "root" $ "component" "redis" "port" 6379 "users" (list "rollout")). */}}
{{- define "proofwalk.serverIngress" -}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "proofwalk.object" . }}
  labels:
    {{- include "proofwalk.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  podSelector:
    matchLabels:
      {{- include "proofwalk.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  policyTypes: [Ingress]
  ingress:
    - from:
        {{- include "proofwalk.peers" (dict "root" .root "components" .users) | nindent 8 }}
        {{- if .root.Values.rollout.keda.enabled }}
        - namespaceSelector:
            matchLabels:
              kubernetes.io/metadata.name: {{ .root.Values.rollout.keda.namespace }}
        {{- end }}
      ports:
        - {protocol: TCP, port: {{ .port }}}
{{- end -}}

{{/* The ways out of a role that its own values and those of all roles ask for: (dict "root" $ "egress" .Values.rollout.egress). */}}
{{- define "proofwalk.waysOut" -}}
{{- if .egress.internet }}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- toYaml .root.Values.networkPolicies.privateRanges | nindent 10 }}
  ports:
    - {protocol: TCP, port: 443}
    - {protocol: TCP, port: 80}
{{- end }}
{{- with concat .root.Values.networkPolicies.egress .egress.rules }}
{{ toYaml . }}
{{- end }}
{{- end -}}
