import { stopped } from '../../src/ports/samples.contract.ts'
import { usageContract } from '../../src/ports/usage.contract.ts'
import { projectAll } from '../support/project.ts'
import { openMemoryEngine } from './memory.ts'

usageContract('memory', async () => {
  const engine = openMemoryEngine({ clock: stopped })
  const catchUp = () => projectAll(engine)
  return { ...engine, catchUp, rebuild: catchUp }
})
