/** The Python client as its user has it: built, and installed by pip into an empty environment without a network. */
import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/command.ts'
import { findPython } from '../support/python.ts'
import { run } from './node-client.ts'

export type PythonClient = Readonly<{
  /** The Python of the environment. */
  python: string
  /** The Python that has mypy. */
  system: string
}>

const OFFLINE = ['--no-index', '--no-deps', '--no-build-isolation', '--disable-pip-version-check']

/** The wheel is built from the source distribution, so both are complete. */
export async function installPythonClient(folder: string): Promise<PythonClient> {
  const system = findPython() ?? ''
  const [source, built, venv] = [join(folder, 'source'), join(folder, 'built'), join(folder, 'venv')]
  // Building leaves files beside the sources.
  cpSync(join(ROOT, 'clients/python'), source, { recursive: true })
  await run(system, ['-c', `from setuptools import build_meta; build_meta.build_sdist('${built}')`], source)
  await run(
    system,
    ['-m', 'pip', 'wheel', ...OFFLINE, '--wheel-dir', built, ...globSync(join(built, '*.tar.gz'))],
    folder,
  )
  await run(system, ['-m', 'venv', '--without-pip', venv], folder)
  const python = join(venv, 'bin/python')
  await run(system, ['-m', 'pip', '--python', python, 'install', ...OFFLINE, ...globSync(join(built, '*.whl'))], folder)
  return { python, system }
}
