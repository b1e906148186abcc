/** SHA-256 in the browser, compared with that of Node. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Sha256 } from '../../../console/src/pages/bulk/sha256.ts'

test('agrees with the hash of Node, whatever the pieces', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 })
  fc.assert(
    fc.property(pieces, (all) => {
      const [own, theirs] = [new Sha256(), createHash('sha256')]
      for (const piece of all) {
        own.update(piece)
        theirs.update(piece)
      }
      assert.equal(own.digest(), theirs.digest('hex'))
    }),
    { numRuns: 300 },
  )
})
