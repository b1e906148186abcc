/** Runs the given test files in this process, one after the other. A file that cannot be loaded fails under its name. */
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
