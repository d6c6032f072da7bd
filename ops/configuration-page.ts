import { writeFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { VARIABLE_GROUPS } from './variables.ts'

type VariableSchema = TSchema & { default?: unknown; displayDefault?: string; description?: string }

const PAGE = new URL('CONFIGURATION.md', import.meta.url)

const INTRODUCTION = `# Configuration

Every environment variable the service reads, by subject. \`ops/config.ts\` is the only reader and checks all of them at
the start: an invalid value stops it with one sentence that names the variable. Nothing has to be set. An empty variable
counts as not set. What can be changed while the service runs is a setting instead: \`npm run -s cli -- setting list\`.

Prices change while it runs too: \`npm run -s cli -- price list\` has what the first printed example of each call costs, and
\`price set utils.hash 0.002\` sets it, in dollars. Rate and base of the call change in that proportion, so a larger call
costs accordingly more; \`price set utils.hash default\` restores both. Batons and leases are priced by settings.

This page is generated from \`ops/variables.ts\` and the \`settings.ts\` of each folder in \`ops/providers\` by \`npm run docs:config\`; a test compares the two.
`

/** The text of ops/CONFIGURATION.md. */
export function renderConfigurationPage(): string {
  const sections = Object.entries(VARIABLE_GROUPS).map(
    ([subject, variables]) => `\n## ${subject}\n\n${renderTable(variables)}\n`,
  )
  return INTRODUCTION + sections.join('')
}

function renderTable(variables: Readonly<Record<string, VariableSchema>>): string {
  const lines = Object.entries(variables).map(
    ([name, schema]) => `| \`${name}\` | ${renderDefault(schema)} | ${schema.description} |`,
  )
  return ['| variable | default | meaning |', '|---|---|---|', ...lines].join('\n')
}

function renderDefault({ default: value, displayDefault }: VariableSchema): string {
  if (displayDefault) return displayDefault
  return value === undefined || value === '' ? 'none' : `\`${String(value)}\``
}

if (import.meta.main) writeFileSync(PAGE, renderConfigurationPage())
