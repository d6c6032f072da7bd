import type { TSchema } from 'typebox'
import { Variables } from './config.ts'

type Field = TSchema & { default?: unknown; shown?: string; description?: string }

/** The README's table of the environment, from the schema that reads it; a test keeps the two the same. */
export function configTable(): string {
  const lines = Object.entries(Variables.properties as Record<string, Field>).map(([name, field]) => {
    const byDefault = field.shown ?? (field.default === '' ? 'none' : `\`${String(field.default)}\``)
    return `| \`${name}\` | ${field.default === undefined && !field.shown ? 'none' : byDefault} | ${field.description} |`
  })
  return ['| variable | default | meaning |', '|---|---|---|', ...lines].join('\n')
}
