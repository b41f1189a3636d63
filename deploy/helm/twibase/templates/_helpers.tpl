{{- define "twibase.selector" -}}
app.kubernetes.io/name: twibase
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "twibase.metadata" -}}
metadata:
  name: {{ .Release.Name }}
  labels:
    {{- include "twibase.selector" . | nindent 4 }}
    app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "twibase.config" -}}
{{- $own := dict "listen" ":8080" "metrics-listen" ":9090" "drain-delay" (printf "%ds" (int .Values.drainDelaySeconds)) }}
{{- with .Values.secrets.jwt }}{{ $_ := set $own "jwt-secret-file" "/etc/twibase/jwt/jwt.secret" }}{{ end }}
{{- with .Values.secrets.tls }}
{{- $_ := set $own "tls-cert" "/etc/twibase/tls/tls.crt" }}{{ $_ := set $own "tls-key" "/etc/twibase/tls/tls.key" }}
{{- end }}
{{- if .Values.documents }}{{ $_ := set $own "documents" (list "/etc/twibase/documents") }}{{ end }}
{{- toYaml (merge $own .Values.config) }}
{{- end }}
