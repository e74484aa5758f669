{{/*
Copyright The DecLock authors
SPDX-License-Identifier: Apache-2.0
*/}}

{{/* Refuses values that are possible one by one, and not together. The schema refuses the others. */}}
{{- define "declock.check" -}}
{{- include "declock.checkLeases" . -}}
{{- include "declock.checkNames" . -}}
{{- if and .Values.secret.value .Values.secret.formerKey -}}
{{- fail "secret.formerKey and secret.value are both set. The former secret is a key of secret.existingSecret: to replace a secret, use existingSecret." -}}
{{- end -}}
{{- end -}}

{{- define "declock.millis" -}}
{{- if hasSuffix "ms" . -}}
{{- trimSuffix "ms" . -}}
{{- else if hasSuffix "s" . -}}
{{- mul 1000 (int64 (trimSuffix "s" .)) -}}
{{- else -}}
{{- mul 60000 (int64 (trimSuffix "m" .)) -}}
{{- end -}}
{{- end -}}

{{/* The memory node's program refuses the first three itself, when its pod starts (MemoryNodeElection). */}}
{{- define "declock.checkLeases" -}}
{{- $values := .Values -}}
{{- $longest := int64 (include "declock.millis" $values.maxLease) -}}
{{- $former := include "declock.formerLease" . -}}
{{- if lt (int64 (include "declock.millis" $former)) $longest -}}
{{- fail (printf "formerLease is %s, which is shorter than maxLease, %s. A memory node that starts again may have granted maxLease." $former $values.maxLease) -}}
{{- end -}}
{{- if $values.standBy.enabled -}}
{{- $term := int64 (include "declock.millis" $values.standBy.lease) -}}
{{- if lt $term 2000 -}}
{{- fail (printf "standBy.lease is %s, which is shorter than 2s." $values.standBy.lease) -}}
{{- end -}}
{{- if gt (add $term 2000) $longest -}}
{{- fail (printf "standBy.lease is %s. A fail-over takes up to 2s longer, but maxLease is %s: no service could keep its holds. Lower standBy.lease, or raise maxLease." $values.standBy.lease $values.maxLease) -}}
{{- end -}}
{{- if le (mul 1000 (int64 $values.minReadySeconds)) $term -}}
{{- fail (printf "minReadySeconds is %d and standBy.lease is %s. An update must wait longer than standBy.lease, after which a candidate that has started can be elected: raise minReadySeconds." (int64 $values.minReadySeconds) $values.standBy.lease) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Names that the chart gives to variables and labels are not given a second time. */}}
{{- define "declock.checkNames" -}}
{{- $values := .Values -}}
{{- range fromYamlArray (include "declock.environment" (dict "root" . "id" (splitList "," (include "declock.ids" .) | first))) -}}
{{- if hasKey $values.environment .name -}}
{{- fail (printf "environment has %s, which the chart sets itself." .name) -}}
{{- end -}}
{{- end -}}
{{- range $label := append (keys (fromYaml (include "declock.labels" .))) "declock.io/memory-node" -}}
{{- if hasKey $values.podLabels $label -}}
{{- fail (printf "podLabels has %s, which the chart sets itself and selects pods by, or names the release with." $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
