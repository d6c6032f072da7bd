import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PYTHON } from '../machine/programs.ts'
import { type Answer, runOperation } from '../operations/run.ts'

interface TableAnswer extends Answer {
  rowsIn: number
  rowsOut: number
  columns: { name: string; type: string }[]
  preview: Record<string, unknown>[]
}

/** Runs an operation over tables, and returns its answer with the text of its output. */
export async function runTable(
  operation: string,
  body: Record<string, unknown>,
): Promise<TableAnswer & { written: string }> {
  const answer = (await runOperation(`data.${operation}`, body)) as TableAnswer
  return { ...answer, written: Buffer.from(answer.output?.bytes ?? []).toString() }
}

const SCRIPT = `
import csv, io, json, sqlite3, sys
given = json.load(sys.stdin)
base = sqlite3.connect(":memory:")
for name, text in given["tables"].items():
    rows = list(csv.reader(io.StringIO(text)))
    def typed(cell):
        if cell == "": return None
        try: return int(cell)
        except ValueError: pass
        try: return float(cell)
        except ValueError: return cell
    columns = ", ".join('"%s"' % column for column in rows[0])
    base.execute("CREATE TABLE %s (%s)" % (name, columns))
    base.executemany("INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(rows[0]))), [[typed(cell) for cell in row] for row in rows[1:]])
results = []
for query in given["queries"]:
    cursor = base.execute(query)
    names = [column[0] for column in cursor.description]
    results.append([dict(zip(names, row)) for row in cursor.fetchall()])
print(json.dumps(results))
`

/** What another database answers to queries over the same tables, each a CSV. */
export async function querySqlite(tables: Record<string, string>, queries: readonly string[]): Promise<object[][]> {
  const running = promisify(execFile)(PYTHON, ['-c', SCRIPT], { maxBuffer: 2 ** 26 })
  running.child.stdin!.end(JSON.stringify({ tables, queries }))
  return JSON.parse((await running).stdout) as object[][]
}

const MAX_COLUMNS = 2000

/** A CSV of integers with as many columns as a table may have, the last of which is 5. */
export function wideTable(rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: MAX_COLUMNS }, (_cell, column) => (column === MAX_COLUMNS - 1 ? 5 : row * (column + 1))),
  )
  return `${Array.from({ length: MAX_COLUMNS }, (_, column) => `c${column}`).join()}\n${lines.join('\n')}\n`
}
