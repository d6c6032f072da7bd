import { Problem, type Warning } from '#kit'
import { toProblem } from './source.ts'

/** Runs strictly first. If the image is damaged and the caller tolerates that, runs again with the readable part. */
export async function withTolerance<Options extends { tolerant: boolean }, Result extends { warnings: Warning[] }>(
  options: Options,
  run: (options: Options) => Promise<Result>,
): Promise<Result> {
  try {
    return await run({ ...options, tolerant: false })
  } catch (error) {
    const problem = toProblem(error)
    const isDamage = problem instanceof Problem && problem.code === 'IMAGE_DECODE_FAILED'
    if (!options.tolerant || !isDamage) throw problem
    return await retryTolerantly(options, run)
  }
}

async function retryTolerantly<Options extends { tolerant: boolean }, Result extends { warnings: Warning[] }>(
  options: Options,
  run: (options: Options) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await run({ ...options, tolerant: true })
    const warning = {
      code: 'INPUT_DAMAGED',
      message: 'The input is damaged; only the part that could be decoded was used.',
    }
    return { ...result, warnings: [...result.warnings, warning] }
  } catch (error) {
    throw toProblem(error)
  }
}
