/** Checks an image in a network of its own, where nothing but a container of it listens. */
import { readFileSync } from 'node:fs'
import type { Image } from './build.ts'
import { checkImage } from './checks.ts'
import { report } from './report.ts'

const [file = '', volume = ''] = process.argv.slice(2)
const image = JSON.parse(readFileSync(file, 'utf8')) as Image
await checkImage(image, volume, (name, millis) => report(name, millis))
