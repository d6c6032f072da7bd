export { completePipeline, type PipelineFields } from './complete.ts'
