import { type InputFile, Problem, type Tools, type Warning } from '#kit'

/** A longer table is data, not text. */
const MAX_ROWS = 5000
const CELLS = { values: 'value', dates: 'iso', mergeFill: false, skipHidden: false } as const
const WHOLE_SHEET = { ...CELLS, headerRow: 1, skipsBlankStart: true }
/** The name of a part, which stands in the directory of the archive as it is. */
const DRAWING = 'xl/drawings/drawing'
const DRAWINGS_LEFT_OUT = {
  code: 'CONTENT_SKIPPED',
  message: 'Charts, text boxes and other drawings of the workbook are left out; /v1/pdf/from-office draws them.',
}
const OUT_CSV = { quoteAll: false, eol: 'lf', bom: false, nullAs: '' } as const

interface Sheet {
  columns: readonly { name: string }[]
  preview: readonly Record<string, unknown>[]
  rows: number
}

/** A table of delimited text, or each sheet of a workbook as a table below its name. */
export async function convertSheets(
  file: InputFile,
  format: string,
  { duckdb }: Pick<Tools, 'duckdb'>,
): Promise<{ markdown: string; warnings: Warning[] }> {
  if (format === 'csv') {
    const { outputs, warnings } = await readTables({ ...file, options: { infer: 'none' } }, [undefined], duckdb)
    return { markdown: renderTable(outputs[0]!, '/v1/csv/convert'), warnings }
  }
  const workbook = { ...file, options: { format: 'xlsx' } }
  const names = await duckdb.listSheets(file)
  const { outputs, warnings } = await readSheets(workbook, names, duckdb)
  const parts = outputs.map((sheet, index) => {
    const heading = `## ${escapeText(names[index]!)}`
    return sheet ? `${heading}\n\n${renderTable(sheet, '/v1/data/from-xlsx')}` : heading
  })
  const hasDrawings = Buffer.from(await file.bytes()).includes(DRAWING)
  return { markdown: parts.join('\n\n'), warnings: hasDrawings ? [...warnings, DRAWINGS_LEFT_OUT] : warnings }
}

type TablesTool = Tools['duckdb']

interface SheetsRead {
  outputs: readonly (Sheet | undefined)[]
  warnings: Warning[]
}

/** All at once; one by one only if one of them is empty, which cannot be read as a table. */
async function readSheets(file: InputFile, names: readonly string[], tables: TablesTool): Promise<SheetsRead> {
  try {
    return await readTables(file, names, tables)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_TABULAR') throw error
  }
  const outputs: (Sheet | undefined)[] = []
  const warnings: Warning[] = []
  for (const name of names) {
    const answer = await readTables(file, [name], tables).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'NOT_TABULAR') return undefined
      throw error
    })
    outputs.push(answer?.outputs[0])
    warnings.push(...(answer?.warnings ?? []))
  }
  return { outputs, warnings }
}

async function readTables(file: InputFile, names: readonly (string | undefined)[], tables: TablesTool) {
  const keyed = names.map((sheet, index) => [String(index), sheet] as const)
  const sheets = keyed.flatMap(([key, sheet]) =>
    sheet === undefined ? [] : [[key, { sheet, options: WHOLE_SHEET }] as const],
  )
  const answer = await tables.run({
    tables: Object.fromEntries(keyed.map(([key]) => [key, file])),
    sheets: Object.fromEntries(sheets),
    steps: [],
    outputs: keyed.map(([from]) => ({ from, format: 'csv', outCsv: OUT_CSV, preview: MAX_ROWS })),
  })
  // The tables bear the numbers of the sheets, by which nobody knows them.
  const nameSheet = (message: string) => message.replace(/^(\d+)(?=: )/, number => names[Number(number)] ?? number)
  const warnings = answer.warnings.map(warning => ({ ...warning, message: nameSheet(warning.message) }))
  return { outputs: answer.outputs, warnings }
}

function renderTable({ columns, preview, rows: count }: Sheet, next: string): string {
  if (count > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: count, try: next })
  const names = columns.map(({ name }) => name)
  const rows = preview.map(row => renderRow(names.map(name => describeCell(row[name]))))
  return [renderRow(names), `|${' --- |'.repeat(names.length)}`, ...rows].join('\n')
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.map(escapeText).join(' | ')} |`
}

function describeCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function escapeText(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>|]/g, '\\$&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
