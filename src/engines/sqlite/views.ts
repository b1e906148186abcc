/**
 * Views for users who query the file directly. They hold no data, so they need no schema version: opening the file
 * replaces every view whose definition differs from this release's.
 */
import type { DatabaseSync } from 'node:sqlite'

export type View = Readonly<{ name: string; select: string }>

/** `views` in the order of their dependencies. */
export function refreshViews(db: DatabaseSync, views: readonly View[]): void {
  const stored = db.prepare(`select sql from sqlite_schema where type = 'view' and name = ?`)
  const isCurrent = (view: View): boolean => stored.get(view.name)?.['sql'] === definitionOf(view)
  if (views.every(isCurrent)) return
  const steps = views.map((view) => `drop view if exists ${view.name}; ${definitionOf(view)}`).join(';')
  db.exec(`begin immediate; ${steps}; commit`)
}

/** As SQLite stores it. */
const definitionOf = ({ name, select }: View): string => `CREATE VIEW ${name} as ${select.trim()}`
