import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, most of it waiting: for lost heartbeats, for processes to start. */
const LONG = /\/test\/(faults|workers|ops|pages)\/|\/test\/(sql\/planted-faults|prices)\.long\.test\.ts$/

/**
 * Starts the longest files first, so that at the end no single one keeps the whole run waiting. Files that share a
 * process come last and in a row, because a process is kept only if the next file shares it too.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    const rank = (file: TestSpecification) => (file.project.config.isolate ? 0 : 2) + (isLong(file) ? 0 : 1)
    return sorted.sort((one, other) => rank(one) - rank(other))
  }
}
