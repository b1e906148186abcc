/** Debian's Python 3, with what builds, installs and type-checks packages without a network. */
import { spawnSync } from 'node:child_process'

const PYTHON = '/usr/bin/python3'
const MODULES = 'setuptools, wheel, pip, mypy'

/** Undefined if it or one of the modules is not installed. */
export const findPython = (): string | undefined =>
  spawnSync(PYTHON, ['-c', `import ${MODULES}`]).status === 0 ? PYTHON : undefined

/** Why the client cannot be tried; undefined if it can. */
export const missingPython = (): string | undefined =>
  findPython() === undefined ? `there is no ${PYTHON} with ${MODULES}` : undefined
