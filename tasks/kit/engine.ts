/** What engines get as #kit: only what they use, because loading the schemas would double the time that a process takes to start. */
export * from './exactly-one.ts'
export * from './problem.ts'
