/** The pods of a set of manifests, and which of them a selector matches. */
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IJob } from 'kubernetes-models/batch/v1'
import type { IContainer, IPodSpec } from 'kubernetes-models/v1'
import type { Manifest } from './manifest.ts'

export type Labels = Readonly<Record<string, string>>
export type Pod = Readonly<{
  owner: string
  component: string
  labels: Labels
  spec: IPodSpec
  containers: readonly IContainer[]
}>
export type Selector = Readonly<{ matchLabels?: Labels; matchExpressions?: readonly unknown[] }>

export const ofKind = <Kind>(manifests: readonly Manifest[], kind: string): (Manifest & Kind)[] =>
  manifests.filter((manifest) => manifest.kind === kind) as (Manifest & Kind)[]

const COMPONENT = 'app.kubernetes.io/component'

export const podsOf = (manifests: readonly Manifest[]): Pod[] =>
  [...ofKind<IDeployment>(manifests, 'Deployment'), ...ofKind<IJob>(manifests, 'Job')].flatMap(
    ({ kind, metadata, spec }) => {
      const template = spec?.template
      if (template?.spec === undefined) return []
      const labels = template.metadata?.labels ?? {}
      return [
        {
          owner: `${kind} ${metadata.name}`,
          component: labels[COMPONENT] ?? '',
          labels,
          spec: template.spec,
          containers: template.spec.containers,
        },
      ]
    },
  )

/** An empty selector matches every pod. Only labels are supported: no manifest uses expressions. */
export function matches({ matchLabels = {}, matchExpressions }: Selector, labels: Labels): boolean {
  if (matchExpressions !== undefined) throw new Error('selectors by expression are not supported')
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value)
}

export const hasPort = ({ containers }: Pod, port: string | number): boolean =>
  containers.some(({ ports = [] }) => ports.some(({ name, containerPort }) => port === name || port === containerPort))
