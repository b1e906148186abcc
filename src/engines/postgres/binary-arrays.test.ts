import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { ARRAYS } from './binary-arrays.ts'
import { openPool } from './database.ts'

const { migrated } = await sharePostgres()

const TEXTS = ['', 'a', 'é 👍 "quoted" \\ {x,y}', 'NULL', null, undefined, 'long '.repeat(1_000)]
const NUMBERS = [0, 1, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 40 + 7, Number.MAX_SAFE_INTEGER, -(2 ** 40), null]
const UUIDS = ['01234567-89ab-cdef-0123-456789abcdef', 'ffffffff-ffff-ffff-ffff-ffffffffffff', undefined]
const SAMPLES = { text: TEXTS, bigint: NUMBERS, uuid: UUIDS, boolean: [true, false, null] } as const

test('PostgreSQL reads every element as it was given', async () => {
  await using database = await migrated()
  const pool = openPool(database.appUrl)
  for (const [type, values] of Object.entries(SAMPLES)) {
    const toArray = ARRAYS[type as keyof typeof ARRAYS] as (values: readonly unknown[]) => Buffer
    for (const given of [values, values.slice(0, 1), []]) {
      const { rows } = await pool.query(`select e from unnest($1::${type}[]) with ordinality as a (e, n) order by n`, [
        toArray(given),
      ])
      assert.deepEqual(
        rows.map(({ e }) => e),
        given.map((value) => value ?? null),
        type,
      )
    }
  }
  await pool.end()
})

test('refuses what is not a UUID', () => {
  assert.throws(() => ARRAYS.uuid(['0123']), /not a UUID: 0123/)
})
