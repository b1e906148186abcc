/** Renders a kustomization with the kubectl that the tests bring along, or the one on the path. Needs no cluster. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { findTool } from '../support/tools.ts'
import { parseYaml, ROOT } from './files.ts'
import { skipForLack } from './lack.ts'
import type { Manifest } from './manifest.ts'

const run = promisify(execFile)
const rendered = new Map<string, Promise<readonly Manifest[]>>()

/** Undefined where there is no kubectl: said aloud, and in CI a failure. */
export function render(t: TestContext, folder: string): Promise<readonly Manifest[]> | undefined {
  const kubectl = findTool('kubectl')
  if (kubectl === undefined) {
    skipForLack(t, 'there is no kubectl')
    return undefined
  }
  const manifests = rendered.get(folder) ?? kustomize(kubectl, folder)
  rendered.set(folder, manifests)
  return manifests
}

async function kustomize(kubectl: string, folder: string): Promise<readonly Manifest[]> {
  const { stdout } = await run(kubectl, ['kustomize', join(ROOT, folder)])
  return parseYaml(stdout) as readonly Manifest[]
}
