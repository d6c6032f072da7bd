export { findVisitor } from './visitor.ts'
