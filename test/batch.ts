/** Runs the test files that it is given in this process, one after the other. A file that cannot be loaded fails by its name. */
import { resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    test(file, () => {
      throw error
    })
  }
}
