/** (a): the baseline. It answers from memory; nothing is stored, traced or sent. */
import { randomUUID } from 'node:crypto'
import { servePlainApi } from './plain-api.ts'

await servePlainApi(() => randomUUID())
