import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, most of it waiting: for lost heartbeats, for processes to start. */
const LONG = /\/test\/(faults|workers|ops)\/|\/test\/(sql\/planted-faults|prices|examples)\.test\.ts$/

/** Starts the longest files first, so that at the end no single one keeps the whole run waiting. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
  }
}
