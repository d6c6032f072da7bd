import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { BackupError } from './errors.ts'
import type { TableCopy } from './manifest.ts'
import type { Table } from './snapshot.ts'
import type { Vault } from './vault.ts'

/** Copies the rows of a table as the connection's transaction sees them. */
export async function saveTable(client: pg.Client, vault: Vault, { name, columns }: Table): Promise<TableCopy> {
  const { rowCount: found } = await client.query(`select from ${name} limit 1`)
  if (found === 0) return { name, columns, rows: 0 }
  const copy = client.query(copyTo(`copy (select ${columns.join(', ')} from ${name}) to stdout`))
  const packed = createGzip({ level: 1 })
  const [part] = await Promise.all([vault.write(packed), pipeline(copy, packed)])
  return { name, columns, rows: copy.rowCount, part }
}

export async function loadTable(client: pg.Client, vault: Vault, table: TableCopy): Promise<void> {
  const { name, columns, part } = table
  if (!part) return
  const copy = client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`))
  await pipeline(vault.read(part), createGunzip(), copy)
  if (copy.rowCount !== table.rows)
    throw new BackupError(`The backup has ${copy.rowCount} rows of ${name} instead of ${table.rows}.`)
}
