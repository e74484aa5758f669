{{/*
Copyright The DecLock authors
SPDX-License-Identifier: Apache-2.0
*/}}

{{/* The first part of every name, and of the ids of memory nodes. Short enough for -NODE-CANDIDATE and what Kubernetes appends. */}}
{{- define "declock.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "declock.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "declock.labels" -}}
{{ include "declock.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: memory-node
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "declock.image" -}}
{{- $repository := required "image.repository is empty. No registry has the image of memory nodes yet: make it, push it to yours (docs/kubernetes.md), and set image.repository to its name there." .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The Secret with the shared secret, and the key in it. */}}
{{- define "declock.secretName" -}}
{{- if .Values.secret.value -}}{{ include "declock.fullname" . }}{{- else -}}{{ .Values.secret.existingSecret }}{{- end -}}
{{- end -}}
{{- define "declock.secretKey" -}}
{{- if .Values.secret.value -}}secret{{- else -}}{{ .Values.secret.key }}{{- end -}}
{{- end -}}

{{/* The longest lease that a memory node may have granted before it starts. */}}
{{- define "declock.formerLease" -}}
{{- .Values.formerLease | default .Values.maxLease -}}
{{- end -}}

{{/* The ids of all memory nodes, with commas. */}}
{{- define "declock.ids" -}}
{{- $ids := list -}}
{{- range $node := until (int .Values.memoryNodes) -}}
{{- $ids = append $ids (printf "%s-%d" (include "declock.fullname" $) $node) -}}
{{- end -}}
{{- join "," $ids -}}
{{- end -}}

{{/* The address of the pod of a name, by its own Service: it stays the same when the pod is replaced, and needs no new look-up. */}}
{{- define "declock.address" -}}
tcp://{{ .pod }}.{{ .root.Release.Namespace }}.svc:7420
{{- end -}}

{{/* The addresses of the candidates of a memory node, with a separator. */}}
{{- define "declock.candidates" -}}
{{- $addresses := list -}}
{{- range $candidate := until (int .root.Values.standBy.candidates) -}}
{{- $addresses = append $addresses (include "declock.address" (dict "root" $.root "pod" (printf "%s-%d" $.id $candidate))) -}}
{{- end -}}
{{- join .separator $addresses -}}
{{- end -}}

{{/* What services set as declock.memory-nodes. */}}
{{- define "declock.memoryNodes" -}}
{{- $all := list -}}
{{- range $id := splitList "," (include "declock.ids" .) -}}
{{- if $.Values.standBy.enabled -}}
{{- $all = append $all (include "declock.candidates" (dict "root" $ "id" $id "separator" "|") | replace "|tcp://" "|") -}}
{{- else -}}
{{- $all = append $all (include "declock.address" (dict "root" $ "pod" $id)) -}}
{{- end -}}
{{- end -}}
{{- join "," $all -}}
{{- end -}}

{{/* MiB for the records: a record has 3 words beside its queue, rounded up to lines of 8 words of 8 bytes (which makes the other 7 of the 10); and 64 MiB for the end of the last segment and for connections. */}}
{{- define "declock.directMegabytes" -}}
{{- $stride := mul 64 (div (add (int64 .Values.queueCapacity) 10) 8) -}}
{{- add 64 1 (div (mul (int64 .Values.records) $stride) 1048576) -}}
{{- end -}}

{{/* MiB for the pod: heap, records, and what the JVM has beside them. */}}
{{- define "declock.podMegabytes" -}}
{{- add (int64 .Values.heapMegabytes) (int64 (include "declock.directMegabytes" .)) 224 -}}
{{- end -}}
