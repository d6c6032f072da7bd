import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { PYTHON } from '../machine/programs.ts'

const SOURCES = fileURLToPath(new URL('../../../api/surfaces/sdk/python', import.meta.url))

/**
 * Runs a program with the sources of the Python client. Its package reads what is printed from the catalogue, so its
 * modules are loaded without it.
 */
export async function python(program: string, input: object): Promise<unknown> {
  const start = `
import json, sys, types
package = types.ModuleType("coinop"); package.__path__ = [sys.argv[1] + "/coinop"]; sys.modules["coinop"] = package
given = json.load(sys.stdin)
def outcome(check):
    try: return check()
    except Exception as error: return str(error)
`
  const { stdout } = await execa(PYTHON, ['-c', start + program, SOURCES], { input: JSON.stringify(input) })
  return JSON.parse(stdout)
}
