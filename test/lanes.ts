/**
 * Which test files run where. One process runs a batch of files, one after the other: unit tests share a process with
 * their folder, because starting a process costs more than most of them. Tests that measure time or need the whole
 * machine are named `*.serial.test.ts`; nothing runs beside them.
 */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'

export type Batch = readonly string[]
export type Lane = Readonly<{ batches: readonly Batch[]; atOnce: number; isSerial?: true }>

const SERIAL = '**/*.serial.test.ts'
const ENGINES = ['src/engines/{amqp,kafka,nats,postgres,redis}/**/*.test.ts']
/** They stop and freeze servers that tests of a process share, so each runs in its own process. */
const PROFILES = ['src/profiles/**/*.test.ts']
const NEEDS_SERVERS = [...ENGINES, ...PROFILES]
const UNITS = ['src/**/*.test.ts', 'test/memory/*.test.ts', 'test/{clients,console}/logic/*.test.ts']

/** More than the number of cores, because tests often wait for a server or a clock. */
const AT_ONCE = availableParallelism() + 1

const find = (patterns: readonly string[], exclude: readonly string[] = []): readonly string[] =>
  globSync(patterns, { exclude: [...exclude, '**/node_modules/**'] }).toSorted()

const apart = (files: readonly string[]): readonly Batch[] => files.map((file) => [file])

const byFolder = (files: readonly string[]): readonly Batch[] =>
  [...Map.groupBy(files, dirname).values()].toSorted((one, other) => other.length - one.length)

const units = (): readonly Batch[] => byFolder(find(UNITS, [...NEEDS_SERVERS, SERIAL]))

const servers = (): readonly Batch[] => [...byFolder(find(ENGINES, [SERIAL])), ...apart(find(PROFILES, [SERIAL]))]

export const SETS = {
  fast: (): readonly Lane[] => [{ batches: units(), atOnce: AT_ONCE }],
  bench: (): readonly Lane[] => [{ batches: byFolder(find(['bench/**/*.test.ts'])), atOnce: AT_ONCE }],
  /** The slowest first, so that short ones fill the gaps at the end. */
  all: (): readonly Lane[] => [
    {
      batches: [...servers(), ...apart(find(['test/**/*.test.ts'], [...UNITS, SERIAL])), ...units()],
      atOnce: AT_ONCE,
    },
    { batches: apart(find(['{src,test}/**/*.serial.test.ts'])), atOnce: 1, isSerial: true },
  ],
} as const
