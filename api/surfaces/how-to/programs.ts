import type { Entry } from '#kit'
import { printCurl } from '../code/program/curl.ts'
import { printMcp } from '../code/program/mcp.ts'
import { printPython } from '../code/program/python.ts'
import { printTypeScript } from '../code/program/typescript.ts'
import type { HowTo } from './declaration.ts'
import { resolveSteps } from './load.ts'

/** The programs of a page by language. A client of MCP pays with an extension of its own, so there is none of it for x402. */
export function printPrograms(page: HowTo, entries: readonly Entry[], publicUrl: string) {
  const steps = resolveSteps(page, entries)
  const { payer } = page
  const programs = [
    ['curl', printCurl(steps, publicUrl, payer)],
    ['TypeScript', printTypeScript(steps, payer)],
    ['Python', printPython(steps, payer)],
  ] as const
  return payer === undefined ? [...programs, ['MCP', printMcp(steps, publicUrl)] as const] : programs
}
