{{/*
Copyright The DecLock authors
SPDX-License-Identifier: Apache-2.0
*/}}

{{/* The StatefulSet's template of pods. Takes root, and with stand-bys the id of the memory node. */}}
{{- define "declock.pod" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
metadata:
  labels:
    {{- include "declock.labels" $root | nindent 4 }}
    {{- with .id }}
    declock.io/memory-node: {{ . }}
    {{- end }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or $values.secret.value $values.podAnnotations }}
  annotations:
    {{- if $values.secret.value }}
    checksum/secret: {{ sha256sum $values.secret.value | trunc 8 | quote }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "declock.fullname" $root }}
  automountServiceAccountToken: {{ $values.standBy.enabled }}
  # Variables such as DECLOCK_MEMORY_NODE_PORT, which Kubernetes would make of a Service's name, would be taken for settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with $values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
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
  affinity:
    podAntiAffinity:
      {{- if eq $values.antiAffinity "required" }}
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "declock.podSelector" . | nindent 14 }}
      {{- else }}
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                {{- include "declock.podSelector" . | nindent 16 }}
      {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "declock.podSelector" . | nindent 10 }}
  containers:
    - name: memory-node
      image: {{ include "declock.image" $root | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      ports:
        - name: locks
          containerPort: 7420
        - name: management
          containerPort: 7421
      env:
        {{- include "declock.environment" . | nindent 8 }}
        {{- range $name, $value := $values.environment }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      # A candidate that stands by, or waits for former leases, is alive: these groups do not ask the memory node.
      startupProbe:
        httpGet:
          path: /actuator/health/liveness
          port: management
        periodSeconds: 1
        timeoutSeconds: 2
        failureThreshold: 120
      livenessProbe:
        httpGet:
          path: /actuator/health/liveness
          port: management
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      # UP when services may join; a rolling update goes on then.
      readinessProbe:
        httpGet:
          path: /actuator/health/readiness
          port: management
        periodSeconds: 1
        timeoutSeconds: 2
        failureThreshold: 3
      resources:
        {{- if $values.resources }}
        {{- toYaml $values.resources | nindent 8 }}
        {{- else }}
        # No limit of CPU: a memory node that is not let run for a lease costs every hold.
        requests:
          cpu: {{ $values.cpuRequest }}
          memory: {{ include "declock.podMegabytes" $root }}Mi
        limits:
          memory: {{ include "declock.podMegabytes" $root }}Mi
        {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        {{- if not $values.standBy.enabled }}
        - name: state
          mountPath: /var/lib/declock
        {{- end }}
        {{- if $values.tls.existingSecret }}
        - name: tls
          mountPath: /etc/declock/tls
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: 64Mi
    {{- with $values.tls.existingSecret }}
    - name: tls
      secret:
        secretName: {{ . }}
        defaultMode: 0440
    {{- end }}
{{- end -}}

{{/* The pods that are to be on different machines: all memory nodes, or the candidates of one. */}}
{{- define "declock.podSelector" -}}
{{ include "declock.selector" .root }}
{{- with .id }}
declock.io/memory-node: {{ . }}
{{- end }}
{{- end -}}

{{/* The variables that the chart sets, without those of the value "environment". */}}
{{- define "declock.environment" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: DECLOCK_MEMORYNODE_ID
  value: {{ .id | default "$(POD_NAME)" }}
{{- if $values.listMemoryNodes }}
- name: DECLOCK_MEMORYNODE_NODES
  value: {{ include "declock.ids" $root }}
{{- end }}
- name: DECLOCK_MEMORYNODE_PORT
  value: "7420"
- name: SERVER_PORT
  value: "7421"
- name: SERVER_ADDRESS
  value: 0.0.0.0
- name: DECLOCK_MEMORYNODE_RECORDS
  value: {{ int64 $values.records | quote }}
- name: DECLOCK_MEMORYNODE_QUEUECAPACITY
  value: {{ $values.queueCapacity | quote }}
- name: DECLOCK_MEMORYNODE_MAXLEASE
  value: {{ $values.maxLease }}
- name: DECLOCK_MEMORYNODE_FORMERLEASE
  value: {{ include "declock.formerLease" $root }}
- name: DECLOCK_MEMORYNODE_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ include "declock.secretName" $root }}
      key: {{ include "declock.secretKey" $root }}
{{- if $values.secret.formerKey }}
- name: DECLOCK_MEMORYNODE_FORMERSECRET
  valueFrom:
    secretKeyRef:
      name: {{ $values.secret.existingSecret }}
      key: {{ $values.secret.formerKey }}
{{- end }}
{{- with $values.console.existingSecret }}
- name: DECLOCK_MEMORYNODE_CONSOLE_OPERATORPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: operator-password
- name: DECLOCK_MEMORYNODE_CONSOLE_VIEWERPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: viewer-password
      optional: true
{{- end }}
{{- if $values.standBy.enabled }}
- name: DECLOCK_MEMORYNODE_ELECTION_ENGINE
  value: kubernetes
- name: DECLOCK_MEMORYNODE_ELECTION_LEASE
  value: {{ $values.standBy.lease }}
- name: DECLOCK_MEMORYNODE_ELECTION_KUBERNETES_NAMESPACE
  value: {{ $root.Release.Namespace }}
- name: DECLOCK_MEMORYNODE_ELECTION_ADDRESS
  value: {{ include "declock.address" (dict "root" $root "pod" "$(POD_NAME)") }}
- name: DECLOCK_MEMORYNODE_ELECTION_CANDIDATES
  value: {{ include "declock.candidates" (dict "root" $root "id" .id "separator" ",") }}
{{- else }}
- name: DECLOCK_MEMORYNODE_STATEDIRECTORY
  value: /var/lib/declock/state
{{- end }}
{{- if $values.tls.existingSecret }}
- name: DECLOCK_MEMORYNODE_SSL_BUNDLE
  value: declock
- name: DECLOCK_MEMORYNODE_SSL_CLIENTAUTH
  value: {{ $values.tls.clientAuth }}
- name: SPRING_SSL_BUNDLE_PEM_DECLOCK_KEYSTORE_CERTIFICATE
  value: /etc/declock/tls/tls.crt
- name: SPRING_SSL_BUNDLE_PEM_DECLOCK_KEYSTORE_PRIVATEKEY
  value: /etc/declock/tls/tls.key
- name: SPRING_SSL_BUNDLE_PEM_DECLOCK_RELOADONUPDATE
  value: "true"
{{- if ne $values.tls.clientAuth "none" }}
- name: SPRING_SSL_BUNDLE_PEM_DECLOCK_TRUSTSTORE_CERTIFICATE
  value: /etc/declock/tls/ca.crt
{{- end }}
{{- end }}
- name: JAVA_TOOL_OPTIONS
  value: -Xmx{{ $values.heapMegabytes }}m -XX:MaxDirectMemorySize={{ include "declock.directMegabytes" $root }}m -XX:+ExitOnOutOfMemoryError
{{- end -}}
