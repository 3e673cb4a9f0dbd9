{{/* The settings of all services. Behind the Ingress, the gateway must know how many proxies there are, and that they end TLS. */}}
{{- define "receipts.settings" -}}
{{- $settings := deepCopy .Values.settings }}
{{- if .Values.ingress.enabled }}
{{- $settings = merge $settings (dict "TRUSTED_PROXIES" (.Values.ingress.trustedProxies | toString) "HTTPS_ONLY" "true") }}
{{- end }}
{{- if .Values.caCertificates.configMap }}
{{- $settings = merge $settings (dict "NODE_EXTRA_CA_CERTS" (printf "/etc/receipts/ca/%s" .Values.caCertificates.key)) }}
{{- end }}
{{- toYaml $settings }}
{{- end }}
