{{- define "coinop.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "coinop.labels" -}}
app.kubernetes.io/name: coinop
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "coinop.env" -}}
envFrom:
  - secretRef: { name: {{ .Values.existingSecret }} }
env:
  - { name: NODE_ENV, value: production }
  - { name: DATA_DIR, value: /data }
  - { name: HOST, value: 0.0.0.0 }
  - { name: ADMIN_HOST, value: 0.0.0.0 }
{{- range $name, $value := .Values.env }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "coinop.pod" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 }
volumes:
  - name: data
    emptyDir: {}
{{- end }}
