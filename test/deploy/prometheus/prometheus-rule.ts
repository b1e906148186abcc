/** The alert rules as a resource of the Prometheus operator. Run this file to write it again after the rules changed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, textOf } from '../files.ts'

export const RULES = 'deploy/observability/prometheus/rules.yaml'
export const PROMETHEUS_RULE = 'deploy/kubernetes/components/prometheus-operator/prometheusrule.yaml'

export const renderPrometheusRule = (): string => `# Generated from ${RULES}. Do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: pombo
  labels: { app.kubernetes.io/name: pombo }
spec:
${textOf(RULES)
  .replace(/^#.*\n/gm, '')
  .replace(/^(?=.)/gm, '  ')}`

if (import.meta.main) writeFileSync(join(ROOT, PROMETHEUS_RULE), renderPrometheusRule())
