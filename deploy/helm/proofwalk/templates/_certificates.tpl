{{/*
Components with a certificate and the role that it is for, as a map: whoever serves or calls gRPC. A training job calls as the trainer; the operator's is
for the command line, in no pod.
*/}}
{{- define "proofwalk.certified" -}}
{{- $found := dict -}}
{{- if .Values.tls.enabled -}}
{{- range $role, $facts := include "proofwalk.roles" . | fromYaml -}}
{{- if or $facts.grpc $facts.calls }}{{- $_ := set $found (kebabcase $role) (snakecase $role) -}}{{- end -}}
{{- end -}}
{{- if .Values.trainer.job.enabled }}{{- $_ := set $found "trainer" "trainer" -}}{{- end -}}
{{- if .Values.devtoolsGateway.enabled }}{{- $_ := set $found "devtools-gateway" "devtools_gateway" -}}{{- end -}}
{{- if .Values.tls.certManager.enabled }}{{- $_ := set $found "operator" "operator" -}}{{- end -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{/* The Secret with a component's certificate: (dict "root" $ "component" "account-pool"). */}}
{{- define "proofwalk.certificateSecret" -}}
{{- default (printf "%s-tls" (include "proofwalk.object" .)) (get .root.Values.tls.existingSecrets .component) -}}
{{- end -}}

{{/* Settings that name a certificate's files, without PROOFWALK_, as a map; the same in every container. */}}
{{- define "proofwalk.certificateSettings" -}}
{{- if .Values.tls.enabled -}}
RPC__TLS__CERT_FILE: /run/secrets/certificate/tls.crt
RPC__TLS__KEY_FILE: /run/secrets/certificate/tls.key
RPC__TLS__CA_FILE: /run/secrets/certificate/ca.crt
RPC__TLS__TRUST_DOMAIN: {{ .Values.tls.trustDomain }}
{{- end -}}
{{- end -}}

{{/* The volume of a component's certificate: (dict "root" $ "component" "account-pool" "volume" "certificate"). */}}
{{- define "proofwalk.certificateVolume" -}}
- name: {{ .volume }}
  secret:
    secretName: {{ include "proofwalk.certificateSecret" . }}
    defaultMode: 0440
    items:
      - {key: tls.crt, path: tls.crt}
      - {key: tls.key, path: tls.key}
      - {key: ca.crt, path: ca.crt}
{{- end -}}
