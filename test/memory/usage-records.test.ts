import { stopped } from '../../src/ports/samples.contract.ts'
import { usageRecordsContract } from '../../src/ports/usage-records.contract.ts'
import { projectAll } from '../support/project.ts'
import { openMemoryEngine } from './memory.ts'

usageRecordsContract('memory', async () => {
  const engine = openMemoryEngine({ clock: stopped })
  const catchUp = () => projectAll(engine)
  return { ...engine, catchUp, rebuild: catchUp }
})
