/** Renders a kustomization with the kubectl of test/tools or of PATH. Needs no cluster. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { skipUnavailable } from '../support/skip.ts'
import { findTool } from '../support/tools.ts'
import { parseYaml, ROOT } from './files.ts'
import type { Manifest } from './manifest.ts'

const run = promisify(execFile)
const rendered = new Map<string, Promise<readonly Manifest[]>>()

/** Undefined without kubectl; then the test is skipped, or fails in CI. */
export function render(t: TestContext, folder: string): Promise<readonly Manifest[]> | undefined {
  const kubectl = findTool('kubectl')
  if (kubectl === undefined) {
    skipUnavailable(t, 'there is no kubectl')
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
