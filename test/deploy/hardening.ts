/** Checks pods against the "restricted" Pod Security Standard and further rules. Returns one sentence per problem. */
import type { Manifest } from './manifest.ts'
import { type Pod, podsOf } from './pods.ts'

export const hardeningProblems = (manifests: readonly Manifest[]): string[] =>
  podsOf(manifests).flatMap((pod) => problemsOf(pod).map((what) => `${pod.owner} ${what}`))

const problemsOf = ({ spec, containers }: Pod): string[] => [
  ...unless(spec.securityContext?.runAsNonRoot === true, 'may run as root'),
  ...unless(spec.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'may make any system call'),
  ...unless(spec.automountServiceAccountToken === false, 'carries a token for the API of Kubernetes'),
  // A Service named pombo would otherwise set POMBO_PORT to an address.
  ...unless(spec.enableServiceLinks === false, 'gets variables made from the names of Services'),
  ...containers.flatMap(({ securityContext, resources }) => [
    ...unless(securityContext?.readOnlyRootFilesystem === true, 'may write to its image'),
    ...unless(securityContext?.allowPrivilegeEscalation === false, 'may gain privileges'),
    ...unless(securityContext?.capabilities?.drop?.includes('ALL') === true, 'keeps capabilities'),
    ...unless(resources?.requests?.['memory'] !== undefined, 'asks for no memory'),
    ...unless(resources?.limits?.['memory'] !== undefined, 'has no limit of memory'),
  ]),
]

const unless = (right: boolean, sentence: string): string[] => (right ? [] : [sentence])
