/** What the published types of pdfkit lack. */
declare namespace PDFKit.Mixins {
  interface StructureElementOptions {
    /** What a heading of a table stands for. */
    readonly scope?: 'Column';
  }

  interface AnnotationOption {
    /** The element of the document's structure that a link belongs to. */
    readonly structParent?: PDFStructureElement;
  }
}
