/** The declarations missing from pdfkit's published types. */
declare namespace PDFKit.Mixins {
  interface StructureElementOptions {
    /** The scope of a table heading. */
    readonly scope?: 'Column';
  }

  interface AnnotationOption {
    /** The element of the document's structure that a link belongs to. */
    readonly structParent?: PDFStructureElement;
  }
}
