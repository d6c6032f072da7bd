import { Problem, type Warning } from '#kit'
import { asProblem } from './sharp-source.ts'

/** What can be decoded of a damaged picture is good enough where the caller says so. */
export async function decoding<Options extends { tolerant: boolean }, Made extends { warnings: Warning[] }>(
  options: Options,
  run: (options: Options) => Promise<Made>,
): Promise<Made> {
  try {
    return await run({ ...options, tolerant: false })
  } catch (error) {
    const problem = asProblem(error)
    const isDamage = problem instanceof Problem && problem.code === 'IMAGE_DECODE_FAILED'
    if (!options.tolerant || !isDamage) throw problem
    return await damaged(options, run)
  }
}

async function damaged<Options extends { tolerant: boolean }, Made extends { warnings: Warning[] }>(
  options: Options,
  run: (options: Options) => Promise<Made>,
): Promise<Made> {
  try {
    const made = await run({ ...options, tolerant: true })
    const warning = { code: 'INPUT_DAMAGED', message: 'The input is damaged; what could be decoded was used.' }
    return { ...made, warnings: [...made.warnings, warning] }
  } catch (error) {
    throw asProblem(error)
  }
}
