/** The statements of names.ts. */
import type { DatabaseSync } from 'node:sqlite'

/** The numbers of the messages in chapters that may have a name. */
const IN_CHAPTERS = 'select names.n from chapters cross join names on names.chapter = chapters.chapter'
const LAST_IN_CHAPTERS = 'coalesce((select max(last) from chapters), 0)'

export function prepareNames(db: DatabaseSync) {
  return {
    last: db.prepare(`select ${LAST_IN_CHAPTERS} as last`),
    next: db.prepare('select coalesce(max(chapter), 0) + 1 as chapter from chapters'),
    find: db.prepare(`${IN_CHAPTERS} where names.name = ?`),
    findHashed: db.prepare(`${IN_CHAPTERS} where hashed = 1 and names.name = ?`),
    findRange: db.prepare(`${IN_CHAPTERS} where names.name >= ? and names.name < ?`),
    hashed: db.prepare('select 1 from chapters where hashed = 1 limit 1'),
    insert: db.prepare('insert or ignore into names (chapter, name, n) values (?, ?, ?)'),
    insertChapter: db.prepare('insert into chapters (chapter, level, first, last, hashed) values (?, ?, ?, ?, 0)'),
    insertMerged: db.prepare(`
      insert into chapters (chapter, level, first, last, ranges_done, hashed)
      values (?, ?, ?, ?, 0, ?)
    `),
    full: db.prepare(`
      select level from chapters where into_chapter is null and ranges_done is null
      group by level having count(*) >= ? order by level limit 1
    `),
    ofLevel: db.prepare(`
      select chapter, first, last, hashed from chapters where level = ? and into_chapter is null and ranges_done is null
      order by first limit ?
    `),
    startMerging: db.prepare('update chapters set into_chapter = ? where chapter = ?'),
    merging: db.prepare('select chapter, level, ranges_done from chapters where ranges_done is not null'),
    copyRange: db.prepare(`
      insert or ignore into names (chapter, name, n)
      select ?, name, n from names
      where chapter in (select chapter from chapters where into_chapter = ?) and name >= ? and name < ? order by name, n
    `),
    removeRange: db.prepare(`
      delete from names
      where chapter in (select chapter from chapters where into_chapter = ?) and name >= ? and name < ?
    `),
    insertLate: db.prepare(`
      insert or ignore into names (chapter, name, n)
      select chapter, ?, ? from chapters where ? between first and last order by level desc limit 1
    `),
    advanceMerge: db.prepare('update chapters set ranges_done = ? where chapter = ?'),
    removeMerged: db.prepare('delete from chapters where into_chapter = ?'),
    removeChapter: db.prepare('delete from names where chapter = ?'),
    remove: db.prepare(
      'delete from names where chapter in (select chapter from chapters union all select ?) and name = ? and n = ?',
    ),
    expire: db.prepare(`
      update chapters set into_chapter = ? where last < ? and into_chapter is null and ranges_done is null
    `),
    expired: db.prepare('select chapter from chapters where into_chapter = ? limit 1'),
    removePart: db.prepare(`
      delete from names where chapter = ? and (name, n) in (select name, n from names where chapter = ? limit ?)
    `),
    removeEmpty: db.prepare('delete from chapters where chapter = ?'),
  }
}
