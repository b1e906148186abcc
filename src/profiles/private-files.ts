/**
 * Takes the files of the data folder away from others. New files are private from the start; an earlier release or a copy
 * by hand may have left some that are not.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isGatewayFile } from '../config/data-dir.ts'
import { makePrivate } from '../lib/private-file.ts'
import type { LogLine } from './profile.ts'

export function protectFiles(folder: string, logLine: LogLine): void {
  // Files that a restore has moved aside are in folders of their own.
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!isGatewayFile(name)) continue
    const exposed = makePrivate(join(folder, name))
    if (exposed === undefined) continue
    const words = exposed.isCorrected ? 'its mode is now 600' : 'its mode cannot be changed'
    logLine('warn', `files: other users could read a file of the gateway, ${words}`, {
      file: join(folder, name),
      mode: exposed.mode.toString(8),
    })
  }
}
